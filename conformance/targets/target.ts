import type { Need } from "../table/case.js";
import type { Agent, Wire } from "../wires/wire.js";
import type { Webhooks } from "./webhooks.js";

/** A server that the table is run against. */
export interface Target {
  name: string;
  wires: readonly Wire[];
  agent: Agent;
  /** Of the caller as whom the cases speak. */
  token: string;
  offers: ReadonlySet<Need>;
  /** Cases that it fails on purpose. Should it pass one of them, that is a failure. */
  deviations?: readonly { title: string; why: string }[];
  plain?: Agent;
  /** The token of somebody else. */
  stranger?(): Promise<string>;
  newCaller?(scopes?: string[]): Promise<string>;
  webhooks?: Webhooks;
  /** The agent on the server that answers by 1.0.0, and a token for it. */
  older?(): Promise<{ agent: Agent; token: string }>;
  /** Resolves with what the server has logged as faults of its own, where its log can be read. */
  close(): Promise<string[]>;
}
