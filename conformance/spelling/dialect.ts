import type { Json } from "../shapes/check.js";
import type { Ask, Operation, Sent, StoredPush, StreamEvent, Task, TaskPage, Version } from "../words.js";

/** How one version spells what is asked and answered: as the JSON that a binding carries. */
export interface Dialect {
  version: Version;
  params(operation: Operation, ask: Ask): Json;
  /** Results, held against their shape, in the words of the cases. */
  sent(value: unknown): Sent;
  event(value: unknown): StreamEvent;
  task(value: unknown): Task;
  page(value: unknown): TaskPage;
  push(value: unknown): StoredPush;
  pushes(value: unknown): StoredPush[];
  /** The extended card; what it says is for the cases to look at. */
  card(value: unknown): Json;
}
