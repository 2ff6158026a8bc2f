import type { CliCommand } from "./cli.js";

interface Entry {
  /** Positional arguments, as commander writes them. */
  args?: string;
  summary: string;
  load(): Promise<{ command: CliCommand<never> }>;
}

/** What stands behind a noun. */
export const NOUNS: Record<string, string> = {
  persona: "the agents that the daemon hosts",
  task: "the work: what is queued, running, waiting and done",
  approval: "what runs ask the operator before they do it",
  team: "who does the steps of a planned task",
  dlq: "dead letters: tasks that failed with all their attempts",
  a2a: "agents, spoken to over A2A: of this daemon, or anywhere",
  key: "API keys of callers",
  token: "tokens that end soon: of people, and of agents that call agents",
  tenant: "the borders of what can be seen",
  cards: "the cards by which others get to know the agents",
  push: "push notifications: who is told of which task, and what became of it",
  sealing: "the keys that seal what is stored of secrets",
  db: "the ledger as a whole: backups, checks, moving it",
};

/** Every command line there is. Files are loaded when their command is called, so that `--help` costs nothing. */
export const COMMANDS: Record<string, Entry> = {
  init: {
    args: "[dir]",
    summary: "write a first nuncio.yaml",
    load: () => import("./commands/init.js"),
  },
  up: { summary: "start the daemon and keep it running", load: () => import("./commands/up.js") },
  status: { summary: "show whether the daemon runs, and how busy it is", load: () => import("./commands/status.js") },
  reload: {
    summary: "take the changed configuration into the running daemon",
    load: () => import("./commands/reload.js"),
  },
  send: {
    args: "<persona> <text>",
    summary: "give a persona a task",
    load: () => import("./commands/send.js"),
  },
  "persona list": { summary: "list the personas", load: () => import("./commands/persona/list.js") },
  "persona show": {
    args: "<name>",
    summary: "show a persona and what it may do",
    load: () => import("./commands/persona/show.js"),
  },
  "task list": { summary: "list tasks, newest first", load: () => import("./commands/task/list.js") },
  "task show": {
    args: "<id>",
    summary: "show a task, and why it is not further along",
    load: () => import("./commands/task/show.js"),
  },
  "task watch": {
    args: "<id>",
    summary: "follow a task and its delegations until it is done",
    load: () => import("./commands/task/watch.js"),
  },
  "task tree": {
    args: "<id>",
    summary: "show the delegation tree of a task",
    load: () => import("./commands/task/tree.js"),
  },
  "task answer": {
    args: "<id> <text>",
    summary: "answer the question that a task asks",
    load: () => import("./commands/task/answer.js"),
  },
  "task cancel": {
    args: "<id>",
    summary: "stop a task and what it has delegated",
    load: () => import("./commands/task/cancel.js"),
  },
  "task purge": {
    args: "[id]",
    summary: "take tasks that have ended out of the ledger",
    load: () => import("./commands/task/purge.js"),
  },
  "approval list": { summary: "list what waits for your decision", load: () => import("./commands/approval/list.js") },
  "approval show": {
    args: "<id>",
    summary: "show what an approval is for, with all arguments",
    load: () => import("./commands/approval/show.js"),
  },
  "approval approve": {
    args: "<id>",
    summary: "let exactly what was asked for happen, once",
    load: () => import("./commands/approval/approve.js"),
  },
  "approval deny": {
    args: "<id>",
    summary: "refuse what was asked for",
    load: () => import("./commands/approval/deny.js"),
  },
  "task create": {
    summary: "prepare a planned task: a plan, with the files of a directory as they are now",
    load: () => import("./commands/task/create.js"),
  },
  "task complete": {
    args: "<id>",
    summary: "run the checks of a planned task, and complete it when all are green",
    load: () => import("./commands/task/complete.js"),
  },
  "team assign": {
    args: "<task>",
    summary: "give a step of a planned task to a persona or a peer",
    load: () => import("./commands/team/assign.js"),
  },
  "team run": {
    args: "<task>",
    summary: "have an assignment done, in a task of its own",
    load: () => import("./commands/team/run.js"),
  },
  "team list": {
    args: "[task]",
    summary: "list planned tasks, or show one: steps, assignments, what was admitted",
    load: () => import("./commands/team/list.js"),
  },
  "team purge": {
    args: "<task>",
    summary: "take a planned task out of the ledger",
    load: () => import("./commands/team/purge.js"),
  },
  "dlq list": { summary: "list dead letters, newest first", load: () => import("./commands/dlq/list.js") },
  "dlq show": { args: "<id>", summary: "show a dead letter", load: () => import("./commands/dlq/show.js") },
  "dlq retry": {
    args: "<id>",
    summary: "do the work of a dead letter again, in a new task",
    load: () => import("./commands/dlq/retry.js"),
  },
  "dlq purge": {
    args: "[id]",
    summary: "take one dead letter, or all, off the list",
    load: () => import("./commands/dlq/purge.js"),
  },
  "a2a card": {
    args: "<agent-or-url>",
    summary: "show what an agent says about itself",
    load: () => import("./commands/a2a/card.js"),
  },
  "a2a send": {
    args: "<agent-or-url> <text>",
    summary: "send a message to an agent",
    load: () => import("./commands/a2a/send.js"),
  },
  "a2a credential": {
    args: "<peer>",
    summary: "make the credential of a peer, in a file for its owner alone",
    load: () => import("./commands/a2a/credential.js"),
  },
  "a2a discover": {
    summary: "fetch the card of an outside agent, to review it",
    load: () => import("./commands/a2a/discover.js"),
  },
  "a2a pin": {
    summary: "print the pin of an agent that was reviewed",
    load: () => import("./commands/a2a/pin.js"),
  },
  "a2a peers": {
    args: "[peer]",
    summary: "show the pinned peers, and whether they are still what was pinned",
    load: () => import("./commands/a2a/peers.js"),
  },
  "a2a inspect": {
    args: "<child>",
    summary: "show what a peer was given by a task, and all that is known of it",
    load: () => import("./commands/a2a/inspect.js"),
  },
  "a2a reconcile": {
    args: "<child>",
    summary: "look at the task of a peer that is known, or ask to cancel it",
    load: () => import("./commands/a2a/reconcile.js"),
  },
  "a2a answer": {
    args: "<child>",
    summary: "answer what a peer asks for",
    load: () => import("./commands/a2a/answer.js"),
  },
  "a2a grant": {
    summary: "let an outside agent in, once, for one prepared assignment",
    load: () => import("./commands/a2a/grant.js"),
  },
  "a2a grants": {
    args: "[id]",
    summary: "list the grants of outside agents, newest first, or show one",
    load: () => import("./commands/a2a/grants.js"),
  },
  "a2a revoke": {
    args: "<id>",
    summary: "end a grant at once",
    load: () => import("./commands/a2a/revoke.js"),
  },
  "key create": {
    args: "<name>",
    summary: "make an API key, which is shown once",
    load: () => import("./commands/key/create.js"),
  },
  "key list": { summary: "list API keys and session tokens", load: () => import("./commands/key/list.js") },
  "key revoke": {
    args: "<id>",
    summary: "end an API key, or a session token, at once",
    load: () => import("./commands/key/revoke.js"),
  },
  "token session": {
    args: "<name>",
    summary: "make a session token, which is shown once and ends in hours",
    load: () => import("./commands/token/session.js"),
  },
  "token list": { summary: "list session tokens", load: () => import("./commands/token/list.js") },
  "token revoke": {
    args: "<id>",
    summary: "end a session token at once",
    load: () => import("./commands/token/revoke.js"),
  },
  "token agent": {
    args: "<persona>",
    summary: "make a token by which a persona is known to another agent",
    load: () => import("./commands/token/agent.js"),
  },
  "token keys": {
    args: "[persona]",
    summary: "print the public keys that tokens of agents are verified with",
    load: () => import("./commands/token/keys.js"),
  },
  "token rotate": {
    args: "<persona>",
    summary: "have a persona sign with a new key from now on",
    load: () => import("./commands/token/rotate.js"),
  },
  "tenant create": {
    args: "<name>",
    summary: "make a tenant",
    load: () => import("./commands/tenant/create.js"),
  },
  "tenant list": { summary: "list the tenants", load: () => import("./commands/tenant/list.js") },
  "cards key": {
    summary: "make the key that cards are signed with, or change it",
    load: () => import("./commands/cards/key.js"),
  },
  "push list": {
    summary: "list who is told of which task, newest tasks first",
    load: () => import("./commands/push/list.js"),
  },
  "push retry": {
    args: "<task> [id]",
    summary: "enable push notifications of a task, and try again at once",
    load: () => import("./commands/push/retry.js"),
  },
  "push disable": {
    args: "<task> [id]",
    summary: "stop push notifications of a task",
    load: () => import("./commands/push/disable.js"),
  },
  "sealing rotate": {
    summary: "seal everything that is stored of secrets with a new key, and drop the old ones",
    load: () => import("./commands/sealing/rotate.js"),
  },
  "db backup": {
    args: "<file>",
    summary: "write a copy of the ledger, also while the daemon runs",
    load: () => import("./commands/db/backup.js"),
  },
  "db restore": {
    args: "<file>",
    summary: "put a backup in place as the ledger; the daemon must be stopped",
    load: () => import("./commands/db/restore.js"),
  },
  "db check": {
    args: "[file]",
    summary: "read the ledger, or a backup, and say what is wrong with it",
    load: () => import("./commands/db/check.js"),
  },
  "db copy": {
    summary: "move the ledger to another database; the daemon must be stopped",
    load: () => import("./commands/db/copy.js"),
  },
};
