import { z } from "zod";
import { readCardAt } from "../../../../a2a/client/open-agent.js";
import { NuncioError } from "../../../../shared/errors.js";
import { addressOf } from "../../find-agent.js";
import { findPersona } from "../../find-persona.js";
import { operation } from "../../operation.js";
import { addressee, agentCard, hasOneAddressee, NEEDS_ONE_ADDRESSEE } from "../../schema/a2a.js";

/** By POST, so that a token is in no URL. */
export const readAgentCard = operation({
  method: "POST",
  path: "/v1/a2a/card",
  request: z.strictObject(addressee).refine(hasOneAddressee, NEEDS_ONE_ADDRESSEE),
  response: agentCard,
  async handle({ agent, tenant, url, token }, { personas, a2a }) {
    if (url !== undefined) {
      const { document } = await readCardAt(await a2a.outbound(), addressOf(url, token));
      return { url, card: document };
    }
    const persona = findPersona(personas, tenant, agent ?? "", "agent");
    const { cards } = a2a.operations.publication;
    if (cards === undefined) throw noCards();
    return { url: null, card: JSON.parse(cards.of(persona, "1.0").body) };
  },
});

const noCards = (): NuncioError =>
  new NuncioError(
    "failed_precondition",
    "no agent card is served: cards name the URL that clients use, and none is set",
    {
      hint: "set server.publicBaseUrl, or NUNCIO_PUBLIC_BASE_URL",
    },
  );
