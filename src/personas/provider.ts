/** What executes a persona that is not scripted, as configured; everything in it is checked and has its defaults. */
export type Provider = ModelProvider | CommandProvider;

/** A service that answers model calls. Its key is needed at the first call, not at start. */
export type ModelProvider =
  | {
      type: "anthropic";
      /** Without it the environment variable ANTHROPIC_API_KEY is read at the first call. */
      apiKey?: string;
      /** Up to and including the version, e.g. `https://api.anthropic.com/v1`, which it is without this. */
      baseURL?: string;
    }
  | {
      type: "openai-compatible";
      /** Up to and including the version, e.g. `http://127.0.0.1:11434/v1`. */
      baseURL: string;
      /** Without it no `Authorization` header is sent: servers on one's own machine need none. */
      apiKey?: string;
    };

/** A program that gets the prompt and prints the answer. */
export interface CommandProvider {
  type: "command";
  command: string;
  args: readonly string[];
  /** Where the program reads its prompt. An argument can be seen in process lists and is bounded by the system. */
  promptAs: "stdin" | "argument";
  /** Set for the program on top of the few variables that it gets of the daemon's. */
  env?: Readonly<Record<string, string>>;
  /** Working directory; absolute. The daemon's without it. */
  cwd?: string;
  /** How long one attempt may take, ms. */
  timeoutMs: number;
  /** How much the program may print, bytes; 1 MiB without it. */
  maxOutputBytes?: number;
}
