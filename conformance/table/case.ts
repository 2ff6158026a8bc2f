import type { Wire } from "../wires/wire.js";
import type { Operation } from "../words.js";
import type { Talk } from "./talk.js";

/** What a case needs of a server besides the operations. A server that has it not is not asked. */
export type Need =
  /** An agent that does what the text of a message says (docs/conformance.md). */
  | "script"
  /** A second caller, from whom the tasks of the first are hidden. */
  | "another caller"
  /** Callers who have no tasks yet, and such as may not do everything. */
  | "callers"
  /** A second agent, which offers neither streams nor push, extended card or follow-ups. */
  | "plain agent"
  /** Webhooks that the server can reach. */
  | "webhooks"
  /** A second server, which answers by 1.0.0. */
  | "older answers"
  /** What no specification asks for, and this product promises. */
  | "promises";

export interface Options {
  /** Where the case is run; on every wire that has the operations, unless it says otherwise. */
  on?(wire: Wire): boolean;
  uses?: Operation[];
  needs?: Need[];
}

export interface Case extends Options {
  title: string;
  run(talk: Talk): Promise<void>;
}

export interface Section {
  /** Of A2A 1.0.1, unless it says `0.3`. */
  number: string;
  title: string;
  /** Of the requirements that it shows. */
  ids: string;
  cases: Case[];
}

type Declare = {
  (title: string, run: Case["run"]): void;
  (title: string, options: Options, run: Case["run"]): void;
};

/** The cases of one section of the specification. */
export function section(number: string, title: string, ids: string, declare: (it: Declare) => void): Section {
  const cases: Case[] = [];
  const it = (name: string, given: Options | Case["run"], run?: Case["run"]): void => {
    if (cases.some((one) => one.title === name)) throw new Error(`${number} has two cases "${name}"`);
    if (typeof given === "function") cases.push({ title: name, run: given });
    else cases.push({ title: name, ...given, run: run as Case["run"] });
  };
  declare(it as Declare);
  return { number, title, ids, cases };
}

export const v1 = ({ version }: Wire): boolean => version === "1.0";
export const v03 = ({ version }: Wire): boolean => version === "0.3";
export const jsonRpc = ({ binding }: Wire): boolean => binding === "JSONRPC";
export const rest = ({ binding }: Wire): boolean => binding === "HTTP+JSON";
export const grpc = ({ binding }: Wire): boolean => binding === "GRPC";
/** Those over HTTP: they carry JSON, in which a case may put what protobuf cannot say. */
export const http = ({ binding }: Wire): boolean => binding !== "GRPC";
export const both =
  (...tests: ((wire: Wire) => boolean)[]) =>
  (wire: Wire): boolean =>
    tests.every((test) => test(wire));
/** 0.3 as protobuf: a zero is an absent number there. */
export const proto03 = ({ binding, version }: Wire): boolean => version === "0.3" && binding !== "JSONRPC";
export const not =
  (test: (wire: Wire) => boolean) =>
  (wire: Wire): boolean =>
    !test(wire);
