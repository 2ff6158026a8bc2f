import { z } from "zod";
import type { Outbound } from "../outbound/outbound.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import type { Clock } from "../shared/clock.js";
import type { TaskLedger } from "../tasks/ledger.js";
import type { ToolDescriptor } from "../tasks/runner.js";
import type { CallHouse } from "./a2a-call/call-house.js";
import { a2aCall } from "./a2a-call.js";
import { askCaller } from "./ask-caller.js";
import { channelSend } from "./channel-send.js";
import type { Channel } from "./channels/channel.js";
import type { DelegationLimits } from "./delegation-guard.js";
import type { HostTool } from "./host-tool.js";
import { netHttp } from "./net-http.js";
import { personaList } from "./persona-list.js";
import { personaSend } from "./persona-send.js";
import { personaTaskStatus } from "./persona-task-status.js";

/** What the host tools work with. */
export interface ToolHouse {
  ledger: TaskLedger;
  personas: PersonaRegistry;
  limits: DelegationLimits;
  clock: Clock;
  outbound(): Promise<Pick<Outbound, "fetch">>;
  /** Those that are configured; which of them a persona may post to, its capabilities say. */
  channels: readonly Channel[];
  /** Without it nobody outside is called. */
  calls?: CallHouse;
}

export const hostTools = (house: ToolHouse): HostTool[] => [
  personaSend(house),
  personaTaskStatus(house),
  personaList(house),
  askCaller,
  netHttp(house),
  channelSend(house),
  ...(house.calls === undefined ? [] : [a2aCall(house.calls)]),
];

/** The host tools as a persona has them: filtered by its capabilities, worked out once per persona. */
export class ToolCatalog {
  readonly #tools: readonly HostTool[];
  readonly #schemas = new Map<HostTool, ToolDescriptor>();
  readonly #offers = new WeakMap<Persona, ToolOffer>();

  constructor(tools: readonly HostTool[]) {
    this.#tools = tools;
  }

  offerFor(persona: Persona): ToolOffer {
    let offer = this.#offers.get(persona);
    if (offer === undefined) {
      const tools = this.#tools.filter((tool) => tool.offeredTo(persona));
      offer = {
        byName: new Map(tools.map((tool) => [tool.name, tool])),
        descriptors: tools.map((tool) => this.#describeTo(persona, tool)),
      };
      this.#offers.set(persona, offer);
    }
    return offer;
  }

  /** The tool of that name, whoever may use it. */
  named(name: string): HostTool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  #describeTo(persona: Persona, tool: HostTool): ToolDescriptor {
    const descriptor = this.#describe(tool);
    if (tool.describeTo === undefined) return descriptor;
    return { ...descriptor, description: `${tool.description} ${tool.describeTo(persona)}` };
  }

  #describe(tool: HostTool): ToolDescriptor {
    let descriptor = this.#schemas.get(tool);
    if (descriptor === undefined) {
      const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.args, { io: "input" });
      descriptor = { name: tool.name, description: tool.description, inputSchema };
      this.#schemas.set(tool, descriptor);
    }
    return descriptor;
  }
}

export interface ToolOffer {
  byName: ReadonlyMap<string, HostTool>;
  descriptors: readonly ToolDescriptor[];
}
