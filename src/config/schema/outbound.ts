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
      .refine(isHostAndPort, { error: 'is not HOST:PORT; use one such as "127.0.0.1:9000"' })
      .refine((pair) => !METADATA.has(pair.slice(0, pair.lastIndexOf(":")).toLowerCase()), {
        error: "is a metadata address, which is never allowed; remove it",
      }),
  ).default([]),
});
