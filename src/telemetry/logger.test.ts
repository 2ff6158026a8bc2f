import { pino } from "pino";
import { expect, it } from "vitest";
import { escapeDangerous } from "../shared/dangerous-characters.js";
import { harmless } from "./logger.js";

it("R7 a line of the log moves no cursor, whoever has chosen its words", () => {
  const lines: string[] = [];
  const logger = pino({}, harmless({ write: (line) => void lines.push(line) }, escapeDangerous));
  const said = "\u001b[2J \u009b31m \u202egpj.exe \u2028 \u007f \r ü 日本";
  logger.warn({ said }, said);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]*\n$/);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ said, msg: said });
});
