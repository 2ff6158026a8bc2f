import { z } from "zod";
import { timestamp } from "./fields.js";
import { taskDetail, taskSummary } from "./task.js";

const letter = {
  reason: z.string(),
  deadAt: timestamp,
  /** The task that does the work again. */
  retriedAs: z.string().nullable(),
};

export const deadLetter = taskSummary.extend(letter);
export const deadLetterDetail = taskDetail.extend(letter);

export type DeadLetterJson = z.output<typeof deadLetter>;
export type DeadLetterDetail = z.output<typeof deadLetterDetail>;
