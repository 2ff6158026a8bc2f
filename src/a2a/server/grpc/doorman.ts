import type { ServerHttp2Stream } from "node:http2";
import {
  type Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import type { AgentName } from "../../../access/agent-name.js";
import type { Credentials } from "../../../access/authenticate.js";
import { NuncioError } from "../../../shared/errors.js";
import { isOurFault } from "../../protocol/errors/table.js";
import { type ProtocolVersion, requestedVersion } from "../../protocol/version.js";
import { activeExtensions, EXTENSIONS_PARAMETER } from "../active-extensions.js";
import type { A2aEdge } from "../edge.js";
import type { Admitted, Connection } from "../gate.js";
import { closing, refusalError } from "../refusals.js";
import { AGENT_METADATA, agentNamed } from "./agent-name.js";
import { connectionOf, streamUnder } from "./http2-stream.js";
import type { Method } from "./methods.js";
import { type FailedStatus, failedStatus, type StatusesOf } from "./status.js";

/** A call whose metadata has come and was in order. */
export interface ArrivedCall {
  stream: ServerHttp2Stream;
  connection: Connection;
  credentials: Credentials;
  /** The agent that the metadata names, or leaves to the default. */
  agent: AgentName | undefined;
  /** Where the metadata was enough to let the caller in. */
  entry: Admitted | undefined;
  /** Those that are active, of what the caller asked for. */
  extensions: string | undefined;
}

export interface DoormanOptions {
  edge: A2aEdge;
  methods: readonly Method[];
  statusesOf: StatusesOf;
  /** How long a client may take to send a whole request, ms. */
  requestTimeoutMs: number;
}

/** Bytes of all metadata of a call: as many as a request of HTTP may have in its headers. */
const METADATA_LIMIT = 16 * 1024;

/**
 * What comes before the message of a call: who shows no valid credential is sent away without a byte of it being read,
 * and hears the same whichever agent was meant, for which we have not looked.
 */
export class Doorman {
  readonly #options: DoormanOptions;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #arrived = new WeakMap<Metadata, ArrivedCall>();

  constructor(options: DoormanOptions) {
    this.#options = options;
    this.#methods = new Map(options.methods.map((method) => [method.path, method]));
  }

  /** @param metadata of a call that was let through */
  arrived(metadata: Metadata): ArrivedCall {
    const call = this.#arrived.get(metadata);
    if (call === undefined) throw new Error("a call came past the doorman");
    return call;
  }

  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    const method = this.#methods.get(path);
    if (method === undefined) throw new Error(`${path} is not served`);
    const stream = streamUnder(call);
    let whole = false;
    let slow: NodeJS.Timeout | undefined;
    const refuse = (error: unknown) => call.sendStatus(this.#failed(error, method));
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        // There before anything is awaited: a client may leave without ever sending its message.
        slow = setTimeout(() => call.sendStatus(TOO_SLOW), this.#options.requestTimeoutMs);
        this.#receive(method, stream, metadata).then(() => next(metadata), refuse);
      })
      .withOnReceiveHalfClose((next) => {
        whole = true;
        clearTimeout(slow);
        next();
      })
      // Comes when the call has ended, however it has.
      .withOnCancel(() => {
        clearTimeout(slow);
        // Nobody reads the rest of the request, and whoever sends it need not.
        if (!whole) stream.close();
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };

  async #receive(method: Method, stream: ServerHttp2Stream, metadata: Metadata): Promise<void> {
    const { gate, calls, publication, operations } = this.#options.edge;
    if (calls.closing) throw closing();
    if (!operations.versions.includes(method.version)) throw noSuchService(method);
    if (sizeOf(metadata) > METADATA_LIMIT) throw metadataTooLarge();
    const credentials: Credentials = {
      authorization: textOf(metadata, "authorization"),
      agentToken: textOf(metadata, "x-nuncio-agent-token"),
    };
    const connection = connectionOf(stream);
    const away = await gate.turnAway(credentials, connection);
    if (away !== undefined) throw refusalError(away);
    const named = textOf(metadata, AGENT_METADATA);
    const agent = named === undefined || named === "" ? undefined : agentNamed(named);
    // A message of 0.3 cannot name one.
    const meant = agent ?? (method.version === "0.3" ? publication.defaultAgent : undefined);
    const entry = meant === undefined ? undefined : await gate.admit(meant, "agent:call", credentials, connection);
    if (entry !== undefined && "refusal" in entry) throw refusalError(entry.refusal);
    requireVersion(textOf(metadata, "a2a-version"), method.version, operations.versions);
    const extensions = activeExtensions(textOf(metadata, EXTENSIONS_PARAMETER[method.version]));
    this.#arrived.set(metadata, { stream, connection, credentials, agent: meant, entry, extensions });
  }

  #failed(error: unknown, method: Method): FailedStatus {
    if (isOurFault(error)) this.#options.edge.operations.onFault(error);
    return failedStatus(error, this.#options.statusesOf(method));
  }
}

/** The service is of one version, so that which one it is can only be said again. */
function requireVersion(asked: string | undefined, own: ProtocolVersion, served: readonly ProtocolVersion[]): void {
  if (asked === undefined || asked === "") return;
  const version = requestedVersion(asked, served);
  if (version === own) return;
  throw new NuncioError("unsupported", `this is the service of A2A ${own}, not ${version}`, {
    reason: "VERSION_NOT_SUPPORTED",
    details: { requestedVersion: version, supportedVersions: served.join(",") },
  });
}

/** As grpc-js says of a method that nobody has registered. */
const noSuchService = ({ path }: Method): NuncioError =>
  new NuncioError("unsupported", `${path} is not served here`, { reason: "METHOD_NOT_FOUND" });

/** Several values are one, as in HTTP; no credential and no name has a comma in it. */
function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  return values.length === 0 ? undefined : values.join(", ");
}

function sizeOf(metadata: Metadata): number {
  let size = 0;
  for (const [name, value] of Object.entries(metadata.toHttp2Headers())) {
    for (const one of [value].flat()) size += name.length + String(one).length;
  }
  return size;
}

const metadataTooLarge = (): NuncioError =>
  new NuncioError("limit_reached", `the metadata is larger than ${METADATA_LIMIT} bytes`, {
    details: { limit: METADATA_LIMIT },
  });

const TOO_SLOW: Parameters<ServerInterceptingCallInterface["sendStatus"]>[0] = {
  code: 4,
  details: "The request did not come whole in the time that there is for it",
  metadata: null,
};
