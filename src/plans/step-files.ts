import { NuncioError } from "../shared/errors.js";
import type { Plan, SnapshotFile } from "./plan.js";

/** What a step is given stands in a message, which is kept with its task. */
const STEP_BYTES = 1024 * 1024;

/** Each file that a step names must have been admitted. */
export function refuseStepFiles({ steps }: Plan, files: readonly SnapshotFile[]): void {
  const byPath = new Map(files.map((file) => [file.path, file]));
  steps.forEach((step, at) => {
    let bytes = 0;
    step.files.forEach((path, index) => {
      const file = byPath.get(path);
      const shown = JSON.stringify(path);
      const where = { field: `steps[${at}].files[${index}]`, reason: "FILE_NOT_ADMITTED" };
      if (file === undefined) {
        throw new NuncioError("invalid_argument", `step ${step.id}: ${shown} is not in the workspace`, {
          ...where,
          hint: "name it as it stands below the workspace, with / between folders",
        });
      }
      if (file.leftOut !== null) {
        throw new NuncioError("invalid_argument", `step ${step.id}: ${shown} was left out: ${file.leftOut}`, where);
      }
      bytes += file.bytes;
    });
    if (bytes <= STEP_BYTES) return;
    throw new NuncioError(
      "invalid_argument",
      `step ${step.id}: its files have ${bytes} bytes, more than ${STEP_BYTES}`,
      {
        field: `steps[${at}].files`,
        reason: "STEP_TOO_LARGE",
      },
    );
  });
}
