import type { IncomingMessage, ServerResponse } from "node:http";
import { DIRECTORY_PATH } from "../a2a/server/cards/directory.js";
import type { Publication } from "../a2a/server/cards/publication.js";
import type { Served } from "../a2a/server/cards/served.js";
import { JWKS_PATH } from "../a2a/server/cards/signer.js";
import { ABSENT, write } from "./answer.js";
import { sendDocument } from "./conditional.js";

/** What everybody may see of all agents together: the directory of the public ones, and the keys that cards are signed with. */
const DOCUMENTS: Record<string, Document> = {
  [DIRECTORY_PATH]: {
    find({ directory }, query) {
      const page = query.get("page") ?? "1";
      return /^[1-9]\d{0,5}$/.test(page) ? directory?.page(Number(page)) : undefined;
    },
    seconds: 300,
  },
  // Less than a card: whoever has a new card and old keys soon has the new keys.
  [JWKS_PATH]: { find: ({ cards }) => cards?.keySet, seconds: 60 },
};

interface Document {
  find(publication: Publication, query: URLSearchParams): Served | undefined;
  /** How long it may be kept without asking. */
  seconds: number;
}

/** Answers a request for one of these documents, whether it is there or not; false for anything else. */
export function serveWellKnown(publication: Publication, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const [, path = "", query] = /^([^?#]*?)\/?(?:\?([^#]*))?(?:#|$)/.exec(request.url as string) ?? [];
  const known = Object.hasOwn(DOCUMENTS, path) ? DOCUMENTS[path] : undefined;
  if (known === undefined) return false;
  const document = known.find(publication, new URLSearchParams(query));
  if (document === undefined) write(response, ABSENT);
  else {
    const caching = { changedAt: publication.changedAt, cacheControl: `public, max-age=${known.seconds}` };
    sendDocument(document, caching, request, response);
  }
  return true;
}
