import type { AgentAction, TaskAction } from "../../src/access/decide.js";

/*
 * Who may do what, as a table: every kind of caller, every action, every relation between the two. The function that
 * decides is held against it, and so is what the listeners answer.
 */

/** `y` yes, `.` as if it were not there, `1` say who you are, `s` the credential lacks the scope, `p` policy. */
export type Cell = "y" | "." | "1" | "s" | "p";

export const AGENT_ACTIONS = [
  "agent:card",
  "agent:keys",
  "agent:extendedCard",
  "agent:call",
  "agent:execute",
] as const satisfies readonly AgentAction[];

export const TASK_ACTIONS = [
  "task:read",
  "task:list",
  "task:change",
  "task:push",
] as const satisfies readonly TaskAction[];

/** The agent belongs to the caller's tenant, or to another. */
export type Where = "same tenant" | "other tenant";
export type Visibility = "private" | "public";
/** The task was made by the caller, or by somebody else. */
export type Whose = "own" | "other's";

export interface Row {
  who: string;
  /** A cell for each of `AGENT_ACTIONS`. */
  agents: Record<Where, Record<Visibility, string>>;
  /** A cell for each of `TASK_ACTIONS`; the agent of the task is one that the caller has been let in to. */
  tasks: Record<Where, Record<Whose, string>>;
}

const row = (who: string, agents: string, tasks: string): Row => {
  const [samePrivate = "", samePublic = "", otherPrivate = "", otherPublic = ""] = agents.split(" ");
  const [sameOwn = "", sameOthers = "", otherOwn = "", otherOthers = ""] = tasks.split(" ");
  return {
    who,
    agents: {
      "same tenant": { private: samePrivate, public: samePublic },
      "other tenant": { private: otherPrivate, public: otherPublic },
    },
    tasks: {
      "same tenant": { own: sameOwn, "other's": sameOthers },
      "other tenant": { own: otherOwn, "other's": otherOthers },
    },
  };
};

// cspell:disable
// biome-ignore format: a table
export const WHO_MAY_WHAT: readonly Row[] = [
  // Agents: card, keys, extended card, call, execute.  Tasks: read, list, change, push.
  //                                    same tenant other tenant   same tenant other tenant
  //                                    priv. pub.  priv. pub.     own  other  own  other
  row("nobody",                        "..... yy111 ..... yy111", "1111 1111 1111 1111"),
  row("operator",                      "yyyyy yyyyy yyyyy yyyyy", "yyyy yyyy yyyy yyyy"),
  row("anonymous",                     "yyyyy yyyyy ..... yyyyy", "yyyy .... yyyy ...."),
  row("user, runs:execute",            "yyyyy yyyyy ..... yyyyy", "yyyy .... yyyy ...."),
  row("user, tasks:read",              "yyyys yyyys ..... yyyys", "yyss yy.. yyss ...."),
  row("user, both",                    "yyyyy yyyyy ..... yyyyy", "yyyy yy.. yyyy ...."),
  row("user, neither",                 "yysss yysss ..... yysss", "yyss .... yyss ...."),
  row("OIDC user, runs:execute",       "yyyyy yyyyy ..... yyyyy", "yyyy .... yyyy ...."),
  row("OIDC user, both",               "yyyyy yyyyy ..... yyyyy", "yyyy yy.. yyyy ...."),
  row("own agent, both policies",      "yyyyy yyyyy ..... yyyyy", "yyyy .... yyyy ...."),
  row("own agent, only its policy",    "yyppp yyppp ..... yyppp", "yyyy .... yyyy ...."),
  row("own agent, only the other's",   "yyppp yyppp ..... yyppp", "yyyy .... yyyy ...."),
  row("own agent, none",               "yyppp yyppp ..... yyppp", "yyyy .... yyyy ...."),
  row("foreign agent, admitted",       "..... yyyyy ..... yyyyy", "yyyy .... yyyy ...."),
  row("foreign agent, not admitted",   "..... yyppp ..... yyppp", "yyyy .... yyyy ...."),
  row("peer, another's grant",          "..... ..... ..... .....", "yyy. .... yyy. ...."),
  row("peer, its grant",               "y..yy y..yy y..yy y..yy", "yyy. .... yyy. ...."),
];
// cspell:enable

export interface AgentCell {
  row: Row;
  where: Where;
  visibility: Visibility;
  action: (typeof AGENT_ACTIONS)[number];
  expected: Cell;
}

export interface TaskCell {
  row: Row;
  where: Where;
  whose: Whose;
  action: (typeof TASK_ACTIONS)[number];
  expected: Cell;
}

const WHERE = ["same tenant", "other tenant"] as const;

export const AGENT_CELLS: readonly AgentCell[] = WHO_MAY_WHAT.flatMap((row) =>
  WHERE.flatMap((where) =>
    (["private", "public"] as const).flatMap((visibility) =>
      AGENT_ACTIONS.map((action, index) => {
        const expected = row.agents[where][visibility].charAt(index) as Cell;
        return { row, where, visibility, action, expected };
      }),
    ),
  ),
);

export const TASK_CELLS: readonly TaskCell[] = WHO_MAY_WHAT.flatMap((row) =>
  WHERE.flatMap((where) =>
    (["own", "other's"] as const).flatMap((whose) =>
      TASK_ACTIONS.map((action, index) => {
        const expected = row.tasks[where][whose].charAt(index) as Cell;
        return { row, where, whose, action, expected };
      }),
    ),
  ),
);
