import { z } from "zod";
import { allows } from "../personas/capabilities.js";
import type { Persona } from "../personas/persona.js";
import { NuncioError } from "../shared/errors.js";
import { text } from "./arguments.js";
import { type Channel, ChannelError } from "./channels/channel.js";
import { errorResult, hostTool, result } from "./host-tool.js";

/** As much as Slack takes in one message. */
const MAX_CHARACTERS = 40_000;

const args = z.strictObject({
  channel: text(200).describe("The name of the channel"),
  text: text(MAX_CHARACTERS).describe("What is posted, as plain text"),
});

/**
 * Posts to a channel of the operator's. A post cannot be taken back and would stand there twice, so that a call that was
 * in flight when we died is not made again.
 */
export function channelSend({ channels }: { channels: readonly Channel[] }) {
  const allowedTo = (persona: Persona) =>
    channels.filter(({ name }) => allows(persona.capabilities.allow, capabilityFor(name)));

  return hostTool({
    name: "channel_send",
    description: "Posts a text to a channel outside of this conversation, where people read it.",
    describeTo: (persona) =>
      `Channels: ${allowedTo(persona)
        .map(({ name }) => name)
        .join(", ")}.`,
    args,
    offeredTo: (persona) => allowedTo(persona).length > 0,
    needs: "the capability channel.send:NAME for a channel that is configured",
    capability: ({ channel }) => capabilityFor(channel),
    check: ({ channel }, { persona }) => {
      findChannel(channel, persona);
    },
    idempotent: false,
    async run({ channel: name, text }, { attempt, persona }) {
      const channel = findChannel(name, persona);
      const { tenant, id: taskId } = attempt.task;
      try {
        await channel.post({ text, tenant, persona: persona.name, taskId }, attempt.signal);
        return result({ channel: name, status: "posted" });
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        if (error.uncertain) {
          const problem = `outcome unknown: the channel ${error.message}, and the text may be posted or not`;
          return errorResult(problem, { reason: "OUTCOME_UNKNOWN" });
        }
        return errorResult(
          `the channel ${error.message}; nothing was posted`,
          error.retryable ? { retryable: true } : {},
        );
      }
    },
  });

  function findChannel(name: string, persona: Persona): Channel {
    const allowed = allowedTo(persona);
    const found = allowed.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    // One that is there and not for this persona looks like one that is not there.
    throw new NuncioError("not_found", `channel: there is no channel ${JSON.stringify(name)} for ${persona.name}`, {
      field: "channel",
      hint: `there are: ${allowed.map((channel) => channel.name).join(", ")}`,
    });
  }
}

const capabilityFor = (channel: string): string => `channel.send:${channel}`;
