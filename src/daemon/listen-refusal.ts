import { NuncioError } from "../shared/errors.js";

/** Why the listener could not be opened, where that is for the operator to mend; any other error as it is. */
export function listenRefusal(
  error: unknown,
  { host, port }: { host: string; port: number },
  portField = "server.port",
): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return refusal(`${host}:${port} is in use`, portField, "stop what listens there, or set another port");
    case "EACCES":
      return refusal(`this user may not listen on ${host}:${port}`, portField, "set a port from 1024 up");
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return refusal(`${host} is no address of this machine`, "server.host", "set one, such as 127.0.0.1 or 0.0.0.0");
    default:
      return error;
  }
}

const refusal = (what: string, field: string, hint: string): NuncioError =>
  new NuncioError("failed_precondition", what, { field, hint: `${hint} (${field})` });
