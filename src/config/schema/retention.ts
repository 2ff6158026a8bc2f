import { object, wholeNumber } from "../fields.js";

const days = () => wholeNumber(1, 36_500);

export const retention = object({
  finishedDays: days().default(30),
  eventsDays: days().default(7),
  journalDays: days().default(7),
  idempotencyDays: days().default(30),
});
