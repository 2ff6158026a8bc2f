import type { SpawnOptions } from "../../test/support/daemon/daemon-process.js";
import type { Nodes } from "../nodes/nodes.js";

/** Something that a daemon needs and that goes away for a while. */
export interface Outage {
  /** For the table: what it was, and by which means. */
  name: string;
  /** Added to the configuration of the daemons. */
  config: object;
  spawn: SpawnOptions;
  /** Submissions have to be refused while it lasts. Where they only wait, nothing is asked of them. */
  refuses: boolean;
  begin(nodes: Nodes): Promise<void>;
  end(nodes: Nodes): Promise<void>;
  /** Takes away what was set up for it. */
  remove(): Promise<void>;
}
