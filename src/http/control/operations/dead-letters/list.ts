import { z } from "zod";
import { deadLetterOf } from "../../dead-letter-json.js";
import { operation } from "../../operation.js";
import { deadLetter } from "../../schema/dead-letter.js";
import { cursor, pageLimit } from "../../schema/fields.js";

export const listDeadLetters = operation({
  method: "GET",
  path: "/v1/dead-letters",
  request: z.strictObject({ limit: pageLimit.default(50), cursor: cursor.optional() }),
  response: z.object({ tasks: z.array(deadLetter), nextCursor: z.string().nullable() }),
  async handle(query, { ledger }) {
    const page = await ledger.system.deadLetters(query);
    return { tasks: page.items.map(deadLetterOf), nextCursor: page.nextCursor };
  },
});
