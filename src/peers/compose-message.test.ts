import { expect, it } from "vitest";
import { composeAnswer, composeWork } from "./compose-message.js";

const SENDER = { taskId: "t-1", runId: "r-1", createdAt: 1_800_000_000_000 };
const ALONG = { hop: 2, skill: "review" };
const FILE = { path: "src/a.ts", digest: "sha256:a", bytes: 3, text: "a\r\n" };
const WORK = { instruction: "look", profile: "be brief", files: [FILE] };

it("P6 is the instruction, the profile and each file with its path, and nothing else", () => {
  const { message, disclosed } = composeWork(SENDER, WORK, ALONG);
  expect(message).toEqual({
    messageId: message.messageId,
    role: "user",
    parts: [{ text: "look" }, { text: "be brief" }, { text: "a\r\n", filename: "src/a.ts", mediaType: "text/plain" }],
    metadata: { "https://nuncio.dev/extensions/delegation/v1": { hop: 2, skill: "review" } },
    extensions: ["https://nuncio.dev/extensions/delegation/v1"],
  });
  expect(disclosed).toEqual([{ path: "src/a.ts", digest: "sha256:a", bytes: 3 }]);
  expect(composeWork(SENDER, { ...WORK, profile: "" }, ALONG).message.parts).toHaveLength(2);
});

it("P10 is the same message for the same turn of the same run, and another one for anything else", () => {
  const first = composeWork(SENDER, WORK, ALONG);
  expect(composeWork(SENDER, structuredClone(WORK), ALONG)).toEqual(first);
  const others = [
    composeWork({ ...SENDER, runId: "r-2" }, WORK, ALONG),
    composeWork({ ...SENDER, taskId: "t-2" }, WORK, ALONG),
    composeAnswer(SENDER, 2, { parts: [{ text: "look" }] }, ALONG),
  ];
  expect(new Set([first, ...others].map(({ message }) => message.messageId)).size).toBe(4);
  const changed = composeWork(SENDER, { ...WORK, files: [{ ...FILE, text: "b" }] }, ALONG);
  expect(changed.message.messageId).toBe(first.message.messageId);
  expect(changed.bodyDigest).not.toBe(first.bodyDigest);
});

it("P14 an answer is the operator's words and no file", () => {
  const { message, disclosed } = composeAnswer(SENDER, 2, { parts: [{ text: "main" }] }, ALONG);
  expect(message.parts).toEqual([{ text: "main" }]);
  expect(disclosed).toEqual([]);
});
