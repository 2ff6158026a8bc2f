import type { IncomingMessage } from "node:http";
import type { Credentials } from "../access/authenticate.js";

/** What a request shows of who it comes from. */
export const credentialsOf = ({ headers }: IncomingMessage): Credentials => ({ authorization: headers.authorization });
