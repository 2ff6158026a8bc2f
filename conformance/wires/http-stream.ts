import { deviates, shown } from "../deviation.js";
import type { StreamEvent } from "../words.js";
import type { HttpReply } from "./http.js";
import { readSse } from "./sse.js";
import type { Stream } from "./wire.js";

/** @param read one event, from the JSON in its `data` */
export function httpStream({ facts, message }: HttpReply, read: (data: unknown) => StreamEvent): Stream {
  if (facts.status !== 200) deviates("stream", `the status is ${facts.status}`);
  const type = facts.headers["content-type"] ?? "";
  if (!/^text\/event-stream(;|$)/.test(type)) deviates("stream", `the content type is ${shown(type)}`);
  const events = readSse(message);
  const next = async (): Promise<StreamEvent | undefined> => {
    const { done, value } = await events.next();
    if (done === true) return undefined;
    const event = read(parse(value.data));
    return value.id === undefined ? event : { ...event, eventId: value.id };
  };
  return {
    facts,
    next,
    async rest() {
      const rest: StreamEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) rest.push(event);
      return rest;
    },
    close: () => message.destroy(),
  };
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return deviates("body", `is not JSON: ${shown(text)}`);
  }
}
