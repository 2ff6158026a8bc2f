import type { IncomingMessage, ServerResponse } from "node:http";
import { isOurFault } from "../../a2a/protocol/errors/table.js";
import type { AdmissionBinding } from "../../a2a/server/admission/admission-binding.js";
import type { AdmissionCounts } from "../../a2a/server/admission/admission-counts.js";
import { DIALECTS } from "../../a2a/server/admission/dialects.js";
import type { AdmittedPeer, GrantDoor } from "../../a2a/server/admission/grant-door.js";
import type { Served } from "../../a2a/server/cards/served.js";
import type { Refusal } from "../../a2a/server/gate.js";
import type { OpenCalls } from "../../a2a/server/open-calls.js";
import type { Streams } from "../../a2a/server/sse/streams.js";
import { NuncioError } from "../../shared/errors.js";
import { sayActiveExtensions } from "../active-extensions.js";
import { ABSENT, type Answer, andClose, failed, write } from "../answer.js";
import { sendDocument } from "../conditional.js";
import { requireJson } from "../content-type.js";
import { openCall } from "../open-call.js";
import { BODY_TOO_LARGE, readBody } from "../read-body.js";
import { refusalAnswer } from "../refusal.js";
import { lastEventId } from "../request-head.js";

export interface AdmissionEndpointDeps {
  door: GrantDoor;
  calls: OpenCalls<AdmittedPeer>;
  binding: AdmissionBinding;
  streams: Streams;
  counts: AdmissionCounts;
  /** The card of what this peer may ask for, and when it was last changed, ms. */
  cardFor(entry: AdmittedPeer): { card: Served; changedAt: number };
  /** Bytes of a body, at most. */
  bodyLimit: number;
  /** Told of those who are not let in: why, and nothing of what they sent. */
  onTurnedAway(refusal: Refusal): void;
  onRefused(entry: AdmittedPeer, error: NuncioError): void;
  onFault(error: unknown): void;
}

const CARD = "/.well-known/agent-card.json";

/** Everything that the listener for peers answers: to strangers one and the same on every path, by every method. */
export class AdmissionEndpoint {
  readonly #deps: AdmissionEndpointDeps;

  constructor(deps: AdmissionEndpointDeps) {
    this.#deps = deps;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch((error) => this.#fail(error, request, response));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { door, calls, counts } = this.#deps;
    if (calls.closing) return write(response, CLOSING);
    const entry = door.admit(request.headers.authorization, request.socket);
    if ("refusal" in entry) return this.#turnAway(entry.refusal, response);
    counts.requests += 1;
    const path = pathOf(request.url as string);
    if (path === CARD) return this.#sendCard(entry, request, response);
    const dialect = DIALECTS.find((one) => one.path === path);
    if (dialect === undefined) return write(response, ABSENT);
    if (request.method !== "POST") return write(response, only("POST"));
    try {
      await this.#call(entry, dialect, request, response);
    } catch (error) {
      if (NuncioError.is(error) && !isOurFault(error)) this.#deps.onRefused(entry, error);
      throw error;
    }
  }

  async #call(
    entry: AdmittedPeer,
    dialect: (typeof DIALECTS)[number],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { calls, binding, streams, bodyLimit } = this.#deps;
    requireJson(request.headers);
    const body = await readBody(request, bodyLimit);
    const now = await calls.asOfNow(entry);
    if ("refusal" in now) return this.#turnAway(now.refusal, response);
    sayActiveExtensions(request, response);
    const version = request.headers["a2a-version"];
    const answered = await binding.handle({
      ...{ entry: now, dialect, body },
      version: version === undefined ? undefined : String(version),
      lastEventId: lastEventId(request),
      closed: () => openCall(calls, response, now),
    });
    if (answered.type === "stream") await streams.serve(response, answered.frames);
    else write(response, answered.status === TOO_MANY ? andClose(answered) : answered);
  }

  #sendCard(entry: AdmittedPeer, request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "GET" && request.method !== "HEAD") {
      write(response, only("GET, HEAD"));
      return;
    }
    const { card, changedAt } = this.#deps.cardFor(entry);
    sendDocument(card, { changedAt, cacheControl: "private, no-cache", vary: "Authorization" }, request, response);
  }

  /** The rest of the request is not read, and nothing more is taken on this connection. */
  #turnAway(refusal: Refusal, response: ServerResponse): void {
    this.#deps.onTurnedAway(refusal);
    write(response, andClose(refusalAnswer(refusal)));
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    // The connection has ended within the request: nobody is left to answer.
    if (request.destroyed && !request.complete) return;
    if (isOurFault(error)) this.#deps.onFault(error);
    if (response.headersSent) return;
    const answer = failed(error);
    // The rest of the body is not read, so that nothing can follow it on this connection.
    const tooLarge = NuncioError.is(error) && error.reason === BODY_TOO_LARGE;
    write(response, tooLarge || answer.status === TOO_MANY ? andClose(answer) : answer);
  }
}

const TOO_MANY = 429;

const CLOSING = andClose(failed(new NuncioError("unavailable", "the server is closing")));

const only = (allow: string): Answer => ({ status: 405, body: "", headers: { allow } });

/** @param target of a request; a slash at the end does not count */
const pathOf = (target: string): string => (target.split(/[?#]/, 1)[0] as string).replace(/\/$/, "");
