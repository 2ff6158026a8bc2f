/**
 * What the agent of the conformance suite does, by the first word of the text. Any other text is echoed. A server that
 * is not ours needs an agent that acts in the same way, for the cases that say so (docs/conformance.md).
 */
export const SCRIPT = [
  { when: { turn: 2, text: "^again" }, steps: [{ ask: "and once more?" }] },
  { when: { turn: 2, text: "^finish" }, steps: [{ status: "nearly" }, { reply: "you said {{input.text}}" }] },
  { when: { turn: 2 }, steps: [{ reply: "you said {{input.text}}" }] },
  { when: { turn: 3 }, steps: [{ reply: "at last {{input.text}}" }] },
  { when: { text: "^ask" }, steps: [{ ask: "which one?" }] },
  { when: { text: "^auth" }, steps: [{ auth: "log in, please" }] },
  { when: { text: "^hang" }, steps: [{ status: "hanging" }, { hang: true }] },
  { when: { text: "^fail" }, steps: [{ fail: { text: "it went wrong", retryable: false } }] },
  { when: { text: "^reject" }, steps: [{ reject: "not today" }] },
  { when: { text: "^bare" }, steps: [{ message: "just {{input.text}}" }] },
  { when: { text: "^mute" }, steps: [{ complete: "nothing to show" }] },
  {
    when: { text: "^steps" },
    steps: [
      { status: "thinking" },
      { chunk: "one " },
      { status: "still thinking" },
      { chunk: "two " },
      { reply: "three" },
    ],
  },
  {
    when: { text: "^slow" },
    steps: [{ status: "slowly" }, { sleep: 150 }, { chunk: "half, " }, { sleep: 50 }, { reply: "done" }],
  },
  {
    when: { text: "^parts" },
    steps: [
      {
        artifact: {
          name: "mixed",
          parts: [
            { text: "a text" },
            { data: { a: 1, deep: [true, null] } },
            { raw: "aGk=", mediaType: "text/plain", filename: "hi.txt" },
            { url: "https://files.example/report.pdf", mediaType: "application/pdf" },
          ],
        },
      },
      { complete: "all parts are there" },
    ],
  },
  {
    when: { text: "^list" },
    steps: [{ artifact: { name: "scalars", parts: [{ data: [1, "two"] }] } }, { complete: "done" }],
  },
];
