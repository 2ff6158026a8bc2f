import type { HostileRequest } from "./hostile-request.js";

/** An answer of HTTP as it stands on the wire, with whatever was to be wrong in it. */
export function http(status: number, headers: Record<string, string | number>, body = ""): string {
  const lines = Object.entries({ "content-length": Buffer.byteLength(body), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join("")}\r\n${body}`;
}

export const json = (document: unknown, status = 200): string =>
  http(status, { "content-type": "application/json" }, JSON.stringify(document));

export const result = ({ call }: HostileRequest, outcome: object): string =>
  json({ jsonrpc: "2.0", id: call?.id, result: outcome });

export const error = ({ call }: HostileRequest, code: number, message = "no", status = 200): string =>
  json({ jsonrpc: "2.0", id: call?.id, error: { code, message } }, status);

/** A task as it is shown on the wire; small, since some tests go through it byte by byte. */
export const task = (state: string, rest: Record<string, unknown> = {}) => ({
  id: "t1",
  contextId: "c1",
  status: { state: `TASK_STATE_${state}` },
  ...rest,
});

export const artifact = (text: string, artifactId = "a1") => ({ artifactId, parts: [{ text }] });

/** As a peer answers that keeps to the rules: the task is taken up, and is done when somebody asks after it. */
export function behaves(request: HostileRequest): string {
  switch (request.call?.method) {
    case "SendMessage":
      return result(request, { task: task("WORKING") });
    case "GetTask":
      return result(request, task("COMPLETED", { artifacts: [artifact("fine")] }));
    case "CancelTask":
      return result(request, task("CANCELED"));
    default:
      return error(request, -32601);
  }
}

/** The card of an agent at this origin, with nothing in it that is not needed. */
export const hostileCard = (origin: string, rest: Record<string, unknown> = {}) => ({
  name: "hostile",
  description: "it",
  version: "1",
  supportedInterfaces: [{ url: `${origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "review", name: "r", description: "r", tags: [] }],
  ...rest,
});
