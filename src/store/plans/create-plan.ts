import type { PlannedTask } from "../../plans/plan.js";
import type { CreatePlan } from "../../plans/plan-store.js";
import { type Command, run } from "../sql/command.js";
import { lockSnapshots } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { findPlan } from "./find-plan.js";

const insertPlan =
  sql(`INSERT INTO plans (tenant, id, revision, state, title, plan, workspace, snapshot_digest, invocations,
    invocations_used, token_units, checks, created_at, updated_at, completed_at)
  VALUES (:tenant, :id, 1, 'open', :title, :plan, :workspace, :snapshotDigest, :invocations, 0, :tokenUnits, NULL, :now, :now,
    NULL)`);
const insertFile = sql(`INSERT INTO plan_files (tenant, plan_id, path, digest, bytes, left_out)
  VALUES (:tenant, :planId, :path, :digest, :bytes, :leftOut)`);
/** What is there already has the same digest, so it has the same bytes. */
const insertBlob = sql(`INSERT INTO blobs (tenant, digest, bytes, content) VALUES (:tenant, :digest, :bytes, :content)
  ON CONFLICT (tenant, digest) DO NOTHING`);

/** All of it or nothing: there is no planned task whose snapshot lacks a file. */
export const createPlan: (command: CreatePlan) => Command<PlannedTask> = (command) =>
  function* () {
    const { tenant, id, plan, workspace, snapshotDigest, files, contents, now } = command;
    yield* run(insertPlan, {
      ...{ tenant, id, workspace, snapshotDigest, now },
      title: plan.title,
      plan: JSON.stringify(plan),
      invocations: plan.limits.invocations,
      tokenUnits: plan.limits.tokenUnits,
    });
    // A content that is there already must not be taken away with another planned task before this one refers to it.
    yield* lockSnapshots(tenant);
    for (const [digest, bytes] of contents) {
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
      yield* run(insertBlob, { tenant, digest, bytes: bytes.byteLength, content });
    }
    for (const { path, digest, bytes, leftOut } of files) {
      yield* run(insertFile, { tenant, planId: id, path, digest, bytes, leftOut });
    }
    return (yield* findPlan(tenant, id)) as PlannedTask;
  };
