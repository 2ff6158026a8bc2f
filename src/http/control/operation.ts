import { z } from "zod";
import { NuncioError } from "../../shared/errors.js";
import type { ControlDeps } from "./deps.js";
import { inPlainWords } from "./plain-words.js";

/**
 * An operation of the control API, as data: where it is found, what it takes, what it answers. The request is one flat
 * object made of path, query and body; the response schema is also the shape that `nuncio … --json` prints.
 */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  /** With `:name` for a segment that becomes a field of the request. */
  path: string;
  /** Runs the operation on a request that nobody has checked yet. */
  run(request: unknown, deps: ControlDeps, signal: AbortSignal): Promise<Answer>;
}

/** What an operation answers: one document, or lines until it is done. */
export type Answer =
  | { type: "json"; status: number; value: unknown }
  | { type: "lines"; lines: AsyncIterable<unknown> };

interface Described<Request extends z.ZodType> {
  method: Operation["method"];
  path: string;
  request: Request;
}

/** An operation that answers with one JSON document. */
export function operation<Request extends z.ZodType, Response extends z.ZodType>(
  described: Described<Request> & {
    response: Response;
    /** HTTP status of success; 200 when absent. */
    status?: number;
    handle(request: z.output<Request>, deps: ControlDeps): Promise<z.input<Response>> | z.input<Response>;
  },
): Operation {
  const { method, path, request, response, status = 200, handle } = described;
  return {
    method,
    path,
    async run(input, deps) {
      const value = await handle(checkedRequest(request, input), deps);
      return { type: "json", status, value: response.parse(value) };
    },
  };
}

/** An operation that answers with lines of JSON (NDJSON) until it is done or the client leaves. */
export function streamOperation<Request extends z.ZodType, Line extends z.ZodType>(
  described: Described<Request> & {
    line: Line;
    /** Resolves before the first line, so that an error known by then is an ordinary error answer. */
    open(request: z.output<Request>, deps: ControlDeps, signal: AbortSignal): Promise<AsyncIterable<z.input<Line>>>;
  },
): Operation {
  const { method, path, request, line, open } = described;
  return {
    method,
    path,
    async run(input, deps, signal) {
      const lines = await open(checkedRequest(request, input), deps, signal);
      return { type: "lines", lines: checked(lines, line) };
    },
  };
}

async function* checked<Line extends z.ZodType>(lines: AsyncIterable<z.input<Line>>, schema: Line) {
  for await (const line of lines) yield schema.parse(line);
}

/** A schema that the request does not meet is the caller's mistake; one that our own answer does not meet is ours. */
function checkedRequest<Request extends z.ZodType>(schema: Request, input: unknown): z.output<Request> {
  const result = schema.safeParse(input, { error: inPlainWords });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new NuncioError("invalid_argument", "the request is not valid");
  const unknownKey = issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : null;
  const field = z.core.toDotPath(unknownKey === null ? issue.path : [...issue.path, unknownKey]);
  const problem = unknownKey === null ? issue.message : "is not a field of this operation";
  throw new NuncioError("invalid_argument", `${field}: ${problem}`, { field });
}
