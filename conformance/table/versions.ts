import type { Target } from "../targets/target.js";
import type { Version } from "../words.js";

/** The versions that the server speaks on any binding. */
export const supportedVersions = ({ wires }: Target): Version[] => [...new Set(wires.map(({ version }) => version))];
