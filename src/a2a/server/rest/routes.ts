import type { OperationName } from "../operations/operation.js";

export type Verb = "GET" | "POST" | "DELETE";

/** What is behind a path, and what each method asks of it. */
export interface Resource {
  methods: Partial<Record<Verb, OperationName>>;
  taskId?: string;
  configId?: string;
}

export interface Route {
  /** Paths of 0.3 begin with `v1`, those of 1.0 are the same without it. */
  layout: "1.0" | "0.3";
  resource: Resource;
  /** The interface tenant, where the path begins with one (`/{tenant}/message:send` of a2a.proto). */
  tenant?: string;
}

/**
 * What a path below the endpoint of an agent may lead to: A2A 1.0, 11.3 with the further bindings of a2a.proto, and 0.3,
 * 3.5.3. One that begins with `v1` may be both, since a tenant may have that name; which one is meant says the version.
 *
 * @param rest still escaped, without slashes around it
 */
export function routesAt(rest: string): Route[] {
  const segments = segmentsOf(rest);
  if (segments === null) return [];
  const routes: Route[] = [];
  const own = resourceAt(segments, "extendedAgentCard");
  if (own !== null) routes.push({ layout: "1.0", resource: own });
  const [first, ...behind] = segments;
  if (first === undefined || first.text === "" || behind.length === 0) return routes;
  const legacy = first.text === "v1" ? resourceAt(behind, "card") : null;
  if (legacy !== null) routes.push({ layout: "0.3", resource: legacy });
  const ofTenant = own === null ? resourceAt(behind, "extendedAgentCard") : null;
  if (ofTenant !== null) routes.push({ layout: "1.0", resource: ofTenant, tenant: first.text });
  return routes;
}

interface Segment {
  text: string;
  /** What stands behind the last colon, which must not be escaped: an escaped one is part of an id, as a slash is. */
  verb?: { name: string; of: string };
}

/** null for what is no text. */
function segmentsOf(rest: string): Segment[] | null {
  try {
    return rest.split("/").map((escaped) => {
      const text = decodeURIComponent(escaped);
      const [, of, name] = /^(.+):([a-z]+)$/.exec(escaped) ?? [];
      return of === undefined || name === undefined ? { text } : { text, verb: { name, of: decodeURIComponent(of) } };
    });
  } catch {
    return null;
  }
}

function resourceAt(segments: readonly Segment[], card: "extendedAgentCard" | "card"): Resource | null {
  const [first, second, third, fourth] = segments.map(({ text }) => text);
  switch (segments.length) {
    case 1:
      if (first === "message:send") return { methods: { POST: "send" } };
      if (first === "message:stream") return { methods: { POST: "stream" } };
      if (first === "tasks") return { methods: { GET: "list" } };
      return first === card ? { methods: { GET: "extendedCard" } } : null;
    case 2:
      return first === "tasks" && second ? taskAt(segments[1] as Segment) : null;
    default:
      if (first !== "tasks" || !second || third !== "pushNotificationConfigs" || segments.length > 4) return null;
      if (fourth === undefined) return { methods: { GET: "listPush", POST: "createPush" }, taskId: second };
      return fourth === ""
        ? null
        : { methods: { GET: "getPush", DELETE: "deletePush" }, taskId: second, configId: fourth };
  }
}

/**
 * `{id}`, or `{id}:verb`. Clients of both versions subscribe by either method: the text of the specification has one, its
 * proto the other.
 */
function taskAt({ text, verb }: Segment): Resource {
  if (verb?.name === "cancel") return { methods: { POST: "cancel" }, taskId: verb.of };
  if (verb?.name === "subscribe") return { methods: { GET: "subscribe", POST: "subscribe" }, taskId: verb.of };
  return { methods: { GET: "get" }, taskId: text };
}
