import { z } from "zod";
import { findDeadLetter, lettering } from "../../dead-letter-json.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { deadLetterDetail } from "../../schema/dead-letter.js";
import { id } from "../../schema/fields.js";
import { detailOf } from "../../task-json.js";

export const showDeadLetter = operation({
  method: "GET",
  path: "/v1/dead-letters/:id",
  request: z.strictObject({ id }),
  response: deadLetterDetail,
  async handle({ id }, deps) {
    const letter = await findDeadLetter(deps.ledger, id);
    return { ...(await detailOf(await findTask(deps.ledger, id), deps)), ...lettering(letter) };
  },
});
