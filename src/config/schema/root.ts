import type { z } from "zod";
import { list, object, oneOf, text } from "../fields.js";
import { a2a } from "./a2a.js";
import { access } from "./access.js";
import { approvals } from "./approvals.js";
import { cards } from "./cards.js";
import { channels } from "./channels.js";
import { outbound } from "./outbound.js";
import { persona } from "./persona.js";
import { profiles } from "./profiles.js";
import { providers } from "./providers.js";
import { queue } from "./queue.js";
import { retention } from "./retention.js";
import { console, server } from "./server.js";
import { storage } from "./storage.js";

/** `nuncio.yaml`, as it may be written. */
export const root = object({
  mode: oneOf("development", "production").optional(),
  dataDir: text("the path of a directory").default("./data"),
  server: server.prefault({}),
  console: console.prefault({}),
  storage: storage.default({ type: "sqlite" }),
  queue: queue.prefault({}),
  a2a: a2a.prefault({}),
  access: access.prefault({}),
  approvals: approvals.prefault({}),
  cards: cards.prefault({}),
  outbound: outbound.prefault({}),
  retention: retention.prefault({}),
  providers: providers.default({}),
  channels: channels.default([]),
  profiles: profiles.default([]),
  personas: list(persona, 10_000).default([]),
});

/** What the schema makes of a file: every default is there, nothing is yet compared with anything else. */
export type Settings = z.output<typeof root>;
