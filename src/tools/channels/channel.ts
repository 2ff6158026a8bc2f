/** A place outside of the conversation that personas may post to. What a name leads to is the operator's secret. */
export interface Channel {
  name: string;
  /**
   * Resolves when it has been taken.
   *
   * @throws ChannelError; the reason of the signal when that aborts
   */
  post(post: Post, signal: AbortSignal): Promise<void>;
}

export interface Post {
  text: string;
  tenant: string;
  persona: string;
  taskId: string;
}

/** Why a post was not taken, in words that do not say where it was to go. */
export class ChannelError extends Error {
  /** It may be there nevertheless. */
  readonly uncertain: boolean;
  /** Posting again later may help. */
  readonly retryable: boolean;

  constructor(problem: string, { uncertain = false, retryable = false } = {}) {
    super(problem);
    this.name = "ChannelError";
    this.uncertain = uncertain;
    this.retryable = retryable;
  }
}
