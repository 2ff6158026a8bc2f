import { NuncioError } from "../../shared/errors.js";

/** The protocol versions that we speak, newest first. */
export const PROTOCOL_VERSIONS = ["1.0", "0.3"] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/**
 * The version that a request asks for in `A2A-Version` (A2A 1.0, 3.6). An empty or missing value is 0.3; the patch
 * number never counts.
 */
export function requestedVersion(value: string | undefined, served: readonly ProtocolVersion[]): ProtocolVersion {
  const asked = value === undefined || value.trim() === "" ? "0.3" : value.trim();
  const known = versionNamed(asked);
  if (known !== undefined && served.includes(known)) return known;
  throw new NuncioError("unsupported", `A2A version ${JSON.stringify(asked.slice(0, 20))} is not served here`, {
    reason: "VERSION_NOT_SUPPORTED",
    hint: `send the header A2A-Version with ${served.join(" or ")}`,
    details: { requestedVersion: asked.slice(0, 20), supportedVersions: served.join(",") },
  });
}

function versionNamed(asked: string): ProtocolVersion | undefined {
  // The common spellings come first: this is on the path of every request.
  if (asked === "1.0" || asked === "0.3") return asked;
  const minor = /^(\d{1,3}\.\d{1,3})\.\d{1,5}$/.exec(asked)?.[1];
  return PROTOCOL_VERSIONS.find((version) => version === minor);
}
