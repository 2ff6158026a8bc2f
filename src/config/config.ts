import type { Persona } from "../personas/persona.js";
import type { Profile } from "../plans/profile.js";
import type { CardKeyFile } from "./card-key-file.js";
import type { ConfigProblem } from "./config-error.js";
import type { Settings } from "./schema/root.js";

/** The configuration as the daemon takes it: defaults filled in, paths absolute, contradictions refused. */
export type Config = Omit<Settings, "mode" | "personas" | "profiles"> & {
  mode: "development" | "production";
  /** The operator's own, besides the built-in ones. */
  profiles: Profile[];
  /** `keys` are those in `signingKeyFile`. */
  cards: Settings["cards"] & { keys?: CardKeyFile | undefined };
};

export interface LoadedConfig {
  config: Config;
  personas: Persona[];
  /** What is doubtful but does not stop a start, such as a capability that no tool serves. */
  warnings: ConfigProblem[];
}
