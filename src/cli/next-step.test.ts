import { expect, it } from "vitest";
import { configOption } from "./next-step.js";

it.each([
  [undefined, ""],
  ["nodes/a.yaml", " --config nodes/a.yaml"],
  ["my nodes/a.yaml", " --config 'my nodes/a.yaml'"],
  ["it's.yaml", " --config 'it'\\''s.yaml'"],
])("of a configuration %j the next command is told%s", (file, option) => {
  expect(configOption(file)).toBe(option);
});
