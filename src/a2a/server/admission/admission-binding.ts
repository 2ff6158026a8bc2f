import type { Ending } from "../../../shared/ending.js";
import { NuncioError } from "../../../shared/errors.js";
import * as check from "../../protocol/check.js";
import { CODECS } from "../../protocol/codec.js";
import { EnvelopeError, readEnvelope } from "../../protocol/envelope.js";
import type { JsonRpcId } from "../../protocol/errors/json-rpc.js";
import { isOurFault } from "../../protocol/errors/table.js";
import type { CoreDeps } from "../core.js";
import { callerIn } from "../gate.js";
import { failureAnswer, type JsonRpcAnswer, resultAnswer, streamFraming } from "../json-rpc/answer.js";
import { lastSeenOf } from "../last-event-id.js";
import { OPERATIONS } from "../operations/index.js";
import type { OperationDeps } from "../operations/operation.js";
import { AdmissionCore } from "./admission-core.js";
import type { AdmissionDesk } from "./admission-desk.js";
import { checkVersion, type Dialect, dialectOf, offeredOperation } from "./dialects.js";
import type { AdmittedPeer } from "./grant-door.js";
import { checkInterfaceTenant } from "./request-checks.js";

export interface PeerRequest {
  entry: AdmittedPeer;
  dialect: Dialect;
  /** The header `A2A-Version`. */
  version: string | undefined;
  body: Buffer;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Comes when nobody waits for the answer any more. Made for a call that waits, once. */
  closed(): Ending;
}

export interface AdmissionBindingDeps {
  core: CoreDeps;
  operations: OperationDeps;
  desk: AdmissionDesk;
  /** Told what was refused to a peer, and why. */
  onRefused(entry: AdmittedPeer, error: NuncioError): void;
}

/** JSON-RPC of A2A 1.0 for peers: the operations that a grant is good for, and the checks that only peers are subject to. */
export class AdmissionBinding {
  readonly #deps: AdmissionBindingDeps;

  constructor(deps: AdmissionBindingDeps) {
    this.#deps = deps;
  }

  async handle(request: PeerRequest): Promise<JsonRpcAnswer> {
    let id: JsonRpcId = null;
    try {
      const envelope = readEnvelope(request.body);
      id = envelope.id;
      const { entry, dialect, version, body, lastEventId } = request;
      const { grant } = entry;
      requireEndpoint(dialect, dialectOf(grant.peerClient));
      checkVersion(version, dialect);
      const operation = offeredOperation(envelope.method, dialect);
      const given = check.optionalObject(envelope.params, "params") ?? {};
      const params = checkInterfaceTenant(given, grant.interfaceTenant, dialect);
      const core = new AdmissionCore(this.#deps.core, this.#deps.desk, {
        ...{ grant, bytes: body.length, peerClient: dialect.client },
      });
      const result = await OPERATIONS[operation](
        {
          ...{ caller: callerIn(entry), version: "1.0", codec: CODECS["1.0"], params },
          lastSeen: operation === "subscribe" ? lastSeenOf(lastEventId) : undefined,
          closed: () => request.closed(),
        },
        { ...this.#deps.operations, core },
      );
      if (result.type === "json") return resultAnswer(id, result.text);
      return { type: "stream", frames: result.pieces(streamFraming(id)) };
    } catch (error) {
      if (isOurFault(error)) this.#deps.operations.onFault(error);
      else this.#deps.onRefused(request.entry, error as NuncioError);
      return failureAnswer(error, error instanceof EnvelopeError ? error.id : id);
    }
  }
}

/** A grant for a client of its own ways is for that one endpoint: at the other, what it leaves out would be a mistake. */
function requireEndpoint(asked: Dialect, granted: Dialect): void {
  if (asked === granted) return;
  throw new NuncioError("unsupported", `this grant is for the endpoint ${granted.path}`, {
    reason: "UNSUPPORTED_OPERATION",
    hint: "call the URL that the card names",
  });
}
