import type { PlannedTask } from "./plan.js";
import type { PlanStore } from "./plan-store.js";
import type { Work } from "./work-message.js";

/** Files of the snapshot as they were admitted, whatever stands in the workspace now. */
export async function workFiles(
  store: Pick<PlanStore, "files" | "content">,
  { id, tenant }: Pick<PlannedTask, "id" | "tenant">,
  paths: readonly string[],
): Promise<Work["files"]> {
  if (paths.length === 0) return [];
  const files = await store.files(tenant, id);
  return Promise.all(
    paths.map(async (path) => {
      const file = files.find((one) => one.path === path);
      const content = await store.content(tenant, id, path);
      if (file === undefined || file.digest === null || content === null) {
        throw new Error(`the snapshot of planned task ${id} has lost a file`);
      }
      return { path, digest: file.digest, bytes: file.bytes, content };
    }),
  );
}
