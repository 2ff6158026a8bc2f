import { PushDesk } from "../a2a/server/push/push-desk.js";
import { PushSender, type PushSenderOptions } from "../a2a/server/push/sender.js";
import type { Sealer } from "../access/sealing/sealer.js";
import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";
import { newId } from "../shared/ids.js";
import type { TaskLedger } from "../tasks/ledger.js";
import type { Logger } from "../telemetry/logger.js";
import type { OpenLedger } from "./open-ledger.js";

export interface PushParts {
  config: Config;
  ledger: TaskLedger;
  opened: OpenLedger;
  sealer: Sealer;
  outbound: () => Promise<Outbound>;
  mayBeTold: PushSenderOptions["mayBeTold"];
  logger: Logger;
}

/** Where callers say that they want to be notified, and who then notifies them. */
export function composePushes({ config, ledger, opened, sealer, outbound, mayBeTold, logger }: PushParts) {
  const settings = { ...config.a2a.push };
  const { clock, alone } = opened;
  const desk = new PushDesk({
    ...{ sealer, outbound },
    // Read for each use: another configuration may have come.
    get maxPerTask() {
      return settings.maxPerTask;
    },
  });
  const sender = new PushSender({
    ...{ ledger, sealer, outbound, clock, alone, settings, mayBeTold },
    get concurrency() {
      return settings.concurrency;
    },
    // Where nobody else sends, what was in hand before a crash is taken up at once.
    owner: alone ? "alone" : newId(),
    onGivenUp: ({ tenant, taskId, id, origin }, error) =>
      logger.warn({ tenant, taskId, id, origin, error }, "a receiver of push notifications was given up"),
    onError: (err, facts) => logger.error({ err, ...facts }, `${facts.doing} failed`),
  });
  const replaceSettings = (next: Config["a2a"]["push"]) => Object.assign(settings, next);
  return { desk, sender, replaceSettings };
}
