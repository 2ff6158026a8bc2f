import { NuncioError } from "../shared/errors.js";

/** Nobody listens on the control socket. */
export class NoDaemonError extends NuncioError {
  constructor(socketPath: string, cause: unknown) {
    super("unavailable", `no daemon answers on ${socketPath}`, {
      hint: "start it with `nuncio up`, or name the right configuration with --config FILE",
      cause,
    });
    this.name = "NoDaemonError";
  }
}

/** The daemon ended, or was killed, in the middle of an answer. */
export class DaemonGoneError extends NuncioError {
  constructor(cause?: unknown) {
    super("unavailable", "the daemon went away before it had answered", {
      hint: "nothing that it had accepted is lost: look with `nuncio status`, and start it with `nuncio up`",
      cause,
    });
    this.name = "DaemonGoneError";
  }
}

/** The daemon and this program do not speak the same version of the control API. */
export class OtherVersionError extends NuncioError {
  constructor(theirs: string, ours: string) {
    super("unsupported", `the daemon is Nuncio ${theirs}, this program is Nuncio ${ours}`, {
      hint: "use the `nuncio` of the daemon's version, or restart the daemon with this one",
    });
    this.name = "OtherVersionError";
  }
}
