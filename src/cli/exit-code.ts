/** What the shell is told. docs/cli.md lists them; scripts rely on them. */
export const EXIT = {
  /** Done; or the task now waits for an answer, which is not a failure of anything. */
  done: 0,
  /** The task failed, was rejected or canceled; or the daemon could not do what was asked. */
  failed: 1,
  /** The command, its arguments or the configuration are wrong, or what they name does not allow it. */
  usage: 2,
  noDaemon: 3,
  timedOut: 4,
  /** Ctrl-C, as shells count it: 128 + SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
