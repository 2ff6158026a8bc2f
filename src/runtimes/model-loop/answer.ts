import type { ProviderMetadata, TextStreamPart, ToolSet } from "ai";
import type { JsonObject } from "../../shared/json.js";
import { type ModelTurn, toolCallId } from "./model-turn.js";

type Block = ModelTurn["content"][number];
type Prose = Exclude<Block, { type: "tool-call" }>;

/** Puts the content of one answer together from its stream, in the order in which its blocks began. */
export class Answer {
  readonly #number: number;
  readonly #blocks: Block[] = [];
  readonly #open = new Map<string, Prose>();
  #calls = 0;

  /** @param number of the answer within the task, from 1 */
  constructor(number: number) {
    this.#number = number;
  }

  get content(): Block[] {
    return this.#blocks.filter((block) => block.type !== "text" || block.text !== "");
  }

  /** Takes what is content and passes over the rest. */
  take(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case "text-start":
        this.#begin(part.id, { type: "text", text: "" }, part.providerMetadata);
        break;
      case "reasoning-start":
        this.#begin(part.id, { type: "reasoning", text: "" }, part.providerMetadata);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#go(part.id, part.text, part.providerMetadata);
        break;
      case "text-end":
      case "reasoning-end":
        this.#go(part.id, "", part.providerMetadata);
        break;
      case "tool-call": {
        const id = toolCallId(this.#number, ++this.#calls);
        const call = { type: "tool-call" as const, id, name: part.toolName, ...argumentsOf(part.input) };
        this.#blocks.push({ ...call, ...optionsOf(part.providerMetadata) });
        break;
      }
    }
  }

  #begin(id: string, block: Prose, metadata: ProviderMetadata | undefined): void {
    this.#blocks.push(block);
    this.#open.set(id, block);
    this.#go(id, "", metadata);
  }

  /** Some providers send the signature of a block with its first piece, others with its last one only. */
  #go(id: string, text: string, metadata: ProviderMetadata | undefined): void {
    const block = this.#open.get(id);
    if (block === undefined) return;
    block.text += text;
    Object.assign(block, optionsOf(metadata));
  }
}

/** What a provider says about a part is what it wants back with it. Without what JSON cannot hold. */
const optionsOf = (metadata: ProviderMetadata | undefined): Pick<Block, "providerOptions"> =>
  metadata === undefined ? {} : { providerOptions: JSON.parse(JSON.stringify(metadata)) };

/** The SDK hands over unreadable arguments as the text that the model wrote. */
function argumentsOf(input: unknown): { input: JsonObject; malformed?: string } {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { input: input as JsonObject };
  return { input: {}, malformed: "the arguments of a call must be one JSON object" };
}
