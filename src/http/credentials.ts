import type { IncomingMessage } from "node:http";
import type { Credentials } from "../access/authenticate.js";

/** What a request shows of who it comes from. A header that comes twice is one text that is no credential. */
export const credentialsOf = ({ headers }: IncomingMessage): Credentials => ({
  authorization: headers.authorization,
  agentToken: headers["x-nuncio-agent-token"] as string | undefined,
  host: headers.host,
});
