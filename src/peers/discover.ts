import { type RemoteCard, readCard } from "../a2a/client/card/card.js";
import { fetchCardAt } from "../a2a/client/card/fetch-card.js";
import { type Pinned, plainAddress } from "../outbound/pinned.js";
import { canonicalJson } from "../shared/canonical-json.js";
import { invalidArgument, NuncioError } from "../shared/errors.js";
import { type PinnedWay, pinnedReach } from "./pinned-reach.js";

export interface Discovery extends Pinned {
  endpoint: string;
  cardUrl: string;
  token: string;
}

/**
 * The card of an agent that is not pinned yet, over the addresses that the operator names and no others. Nothing that the card
 * names is opened, and nothing follows from it.
 *
 * @throws NuncioError of the way out, or of the client; `invalid_argument` for a card that could not be pinned
 */
export async function discoverCard(
  outbound: PinnedWay,
  { endpoint, cardUrl, token, ...named }: Discovery,
  signal?: AbortSignal,
): Promise<RemoteCard> {
  const pinned = { ...named, addresses: named.addresses.map((address) => plainAddress(address) ?? address) };
  outbound.pinned(endpoint, pinned);
  const card = await fetchCardAt(cardUrl, pinnedReach(outbound, pinned, token), signal).catch((error) => {
    throw withoutTokenFile(error);
  });
  canonicalJson(card.document);
  return card;
}

/** Of the card as it was saved. */
export function savedCard(value: unknown, file: string): RemoteCard {
  try {
    return readCard(value);
  } catch (cause) {
    throw invalidArgument("card-file", `${file} is no agent card`, {
      hint: "save what nuncio a2a discover prints",
      cause,
    });
  }
}

/** The client's hint is for those who name a token; a peer has its credential file. */
export function withoutTokenFile(error: unknown): unknown {
  if (!NuncioError.is(error) || (error.code !== "unauthenticated" && error.code !== "permission_denied")) return error;
  if (error.reason !== "AGENT_CARD_INVALID" && error.reason !== "AGENT_REFUSED") return error;
  const { code, message, reason, details } = error;
  const hint = "configure the token of the credential file at the peer, too, or the peer's token here";
  return new NuncioError(code, message, { reason, details, hint, cause: error });
}
