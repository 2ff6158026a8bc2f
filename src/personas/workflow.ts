/** A node of a workflow persona. What stands in it as text is a template. */
export type WorkflowNode = PersonaNode | ToolNode | ApprovalNode;

interface NodeOf {
  /** Unique in its workflow; a letter, then letters, digits, `_` or `-`. */
  id: string;
  /** The nodes that must be done before. */
  needs: readonly string[];
}

/** Hands a message to another persona and waits for its reply. */
export interface PersonaNode extends NodeOf {
  persona: string;
  message: string;
  /** How long it waits; five minutes without it. */
  timeoutMs?: number;
}

/** Calls a host tool. */
export interface ToolNode extends NodeOf {
  tool: string;
  with: Readonly<Record<string, unknown>>;
}

/** Asks the operator. */
export interface ApprovalNode extends NodeOf {
  approval: string;
}

type Needs = Pick<NodeOf, "id" | "needs">;

/** The nodes that can be begun, in the order of the file: not done, and with everything done that they need. */
export const readyNodes = <N extends Needs>(nodes: readonly N[], done: { has(id: string): boolean }): N[] =>
  nodes.filter(({ id, needs }) => !done.has(id) && needs.every((need) => done.has(need)));

/** The nodes that no other needs: what they come to is what the workflow comes to. */
export function lastNodes<N extends Needs>(nodes: readonly N[]): N[] {
  const needed = new Set(nodes.flatMap(({ needs }) => needs));
  return nodes.filter(({ id }) => !needed.has(id));
}

/** Everything that is done when a node is begun: what it needs, what that needs, and so on. */
export function doneBefore(nodes: readonly Needs[], node: Needs): ReadonlySet<string> {
  const needsOf = new Map(nodes.map(({ id, needs }) => [id, needs]));
  const before = new Set<string>();
  const open = [...node.needs];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (before.has(id)) continue;
    before.add(id);
    open.push(...(needsOf.get(id) ?? []));
  }
  return before;
}

/** Nodes of which each needs the next, and the last the first; null when there is no such circle. */
export function circleIn(nodes: readonly Needs[]): readonly Needs[] | null {
  const done = new Set<string>();
  for (let ready = readyNodes(nodes, done); ready.length > 0; ready = readyNodes(nodes, done)) {
    for (const { id } of ready) done.add(id);
  }
  const stuck = new Map(nodes.filter(({ id }) => !done.has(id)).map((node) => [node.id, node]));
  // Whatever is left needs something that is left, so that following it comes back to where it has been.
  const path: Needs[] = [];
  let at = stuck.values().next().value;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = at.needs.map((need) => stuck.get(need)).find((node) => node !== undefined);
  }
  return at === undefined ? null : path.slice(path.indexOf(at));
}
