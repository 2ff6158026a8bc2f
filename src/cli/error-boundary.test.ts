import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { invalidArgument } from "../shared/errors.js";
import { explain } from "./error-boundary.js";
import { createOutput } from "./output.js";

it.each([false, true])("R7 a token that was pasted where a name belongs is not repeated (--json: %s)", async (json) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const token = `np_${"k".repeat(43)}`;
  const out = createOutput(json, undefined, stdout as never, stderr as never);
  explain(invalidArgument("peer", `"${token}" is no name`, { hint: `not ${token}` }), out, {});
  stdout.end();
  stderr.end();
  const said = (await text(stdout)) + (await text(stderr));
  expect(said).not.toContain(token);
  expect(said).toContain("np_…");
});
