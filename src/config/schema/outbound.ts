import { list, object, text } from "../fields.js";
import { isHostAndPort } from "./server.js";

/** Addresses of cloud metadata services: no operator may open them, since whoever reads them is the machine. */
const METADATA = new Set([
  "169.254.169.254",
  "[fd00:ec2::254]",
  "100.100.100.200",
  "metadata.google.internal",
  "metadata",
]);

export const outbound = object({
  allow: list(
    text("HOST:PORT", 300)
      .refine((pair) => hostOf(pair) !== null, { error: 'is not HOST:PORT; use one such as "127.0.0.1:9000"' })
      .refine((pair) => !METADATA.has(hostOf(pair) ?? ""), {
        error: "is a metadata address, which is never allowed; remove it",
      }),
  ).default([]),
});

/** As URLs write it: `0x7f.1` is `127.0.0.1`, and a dot at the end of a name says nothing. Null when it is none. */
function hostOf(pair: string): string | null {
  if (!isHostAndPort(pair) || !URL.canParse(`http://${pair}`)) return null;
  const host = new URL(`http://${pair}`).hostname.replace(/\.$/, "");
  return /^\[|^(?!-)[^.]+(\.(?!-)[^.]+)*$/.test(host) ? host : null;
}
