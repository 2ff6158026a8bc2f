import { join } from "node:path";
import { PushDesk } from "../../src/a2a/server/push/push-desk.js";
import { PushSender, type PushSenderOptions } from "../../src/a2a/server/push/sender.js";
import type { PushSettings } from "../../src/a2a/server/push/turn.js";
import { KeyRing } from "../../src/access/sealing/key-ring.js";
import { createSealer } from "../../src/access/sealing/sealer.js";
import { createOutbound, type OutboundOptions } from "../../src/outbound/outbound.js";
import { systemClock } from "../../src/shared/clock.js";
import type { TaskLedger } from "../../src/tasks/ledger.js";
import type { PushSubscription } from "../../src/tasks/push-ledger.js";

export interface TestPush {
  outbound?: Partial<OutboundOptions>;
  settings?: Partial<PushSettings>;
  concurrency?: number;
  maxPerTask?: number;
  owner?: string;
  alone?: boolean;
  onGivenUp?: (push: PushSubscription, error: string) => void;
  mayBeTold?: PushSenderOptions["mayBeTold"];
}

/** Sends to loopback as far as the test allows it, and tries again at once. */
export function testPushes({
  ledger,
  directory,
  onFault,
  outbound: options = {},
  settings = {},
  concurrency = 8,
  maxPerTask = 3,
  owner = "alone",
  alone = true,
  onGivenUp = () => {},
  mayBeTold = () => true,
}: TestPush & { ledger: TaskLedger; directory: string; onFault: (error: unknown) => void }) {
  const ring = new KeyRing(join(directory, "keys", "sealing.json"), systemClock);
  const sealer = createSealer(ring);
  const outbound = async () => createOutbound({ mode: "development", allow: [], ...options });
  const desk = new PushDesk({ sealer, outbound, maxPerTask });
  const sender = new PushSender({
    ...{ ledger, sealer, outbound, clock: systemClock, owner, alone, concurrency, onGivenUp, mayBeTold },
    settings: { maxAttempts: 4, backoffBaseMs: 10, backoffMaxMs: 40, timeoutMs: 2000, ...settings },
    onError: onFault,
  });
  sender.start();
  return { desk, sender, sealing: { ring, sealer } };
}
