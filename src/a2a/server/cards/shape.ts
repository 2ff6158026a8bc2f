import type { ProtocolVersion } from "../../protocol/version.js";

/** Which spelling of a card is sent: one of the two, or both in one document. */
export type Shape = ProtocolVersion | "both";

/**
 * Clients of 1.0 say so, and get a pure card. All others get one that both sides can read, since those of 0.3 say
 * nothing about their version. Where one version is served there is nothing to choose.
 *
 * @param asked the value of `A2A-Version`
 */
export function shapeFor(asked: string | undefined, served: readonly ProtocolVersion[]): Shape {
  if (!served.includes("0.3")) return "1.0";
  if (!served.includes("1.0")) return "0.3";
  const version = asked?.trim() ?? "";
  return version === "" || version.startsWith("0.") ? "both" : "1.0";
}
