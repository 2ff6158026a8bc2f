import type { AgentClient } from "../../a2a/client/agent-client.js";
import type { ChosenInterface } from "../../a2a/client/card/choose-interface.js";
import type { RemoteCredential, Shown } from "../../access/credentials/remote-credentials.js";
import { CALL_TOOL, type CallDenial, denialOf } from "../../access/policy/call-policy.js";
import type { Persona } from "../../personas/persona.js";
import { NuncioError } from "../../shared/errors.js";
import type { CallHouse } from "./call-house.js";

/** Who calls whom. */
export interface Caller {
  persona: Persona;
  taskId: string;
  agentUrl: string;
  /** Told what is shown to the agent before it is: it must not come back to us, in a reply or in an error. */
  onShown(secrets: readonly string[]): void;
}

/** The way to one interface of an agent, under the policy of the persona that calls. */
export interface Way {
  client: AgentClient;
  via: ChosenInterface;
  streaming: boolean;
  /** The agent did not take the credential. */
  refused(): void;
}

const NOTHING: Shown = { headers: {}, secrets: [] };

/** @throws NuncioError `permission_denied`, reason CALL_DENIED */
export function checkPolicy({ persona, agentUrl }: Pick<Caller, "persona" | "agentUrl">, development: boolean): void {
  const denial = denialOf(persona.policy, agentUrl, development);
  if (denial === null) return;
  throw new NuncioError("permission_denied", `agentUrl: ${persona.name} may not call this: ${DENIALS[denial]}`, {
    field: "agentUrl",
    reason: "CALL_DENIED",
    hint: "its policy says which agents it may call; only the operator can change that",
  });
}

const DENIALS: Record<CallDenial, string> = {
  mode: "it has no policy that is enforced",
  tool: `its policy does not name ${CALL_TOOL}`,
  scheme: "the URL must begin with https://",
  target: "no target of its policy fits the URL",
  host: "the host is not among the egress hosts of its policy",
};

/**
 * Reads the card and chooses how to speak to its agent. Whatever the card names that we could speak to, and its own URL,
 * must pass the policy as the URL did: which of them is used is the card's choice, from call to call.
 *
 * @throws NuncioError CALL_DENIED, CREDENTIAL_UNUSABLE; of the client and of the way out
 */
export async function openWay(house: CallHouse, caller: Caller, signal: AbortSignal): Promise<Way> {
  checkPolicy(caller, house.development);
  const { readCardAt } = await import("../../a2a/client/open-agent.js");
  const { chooseInterface, spokenInterfaces } = await import("../../a2a/client/card/choose-interface.js");
  const credential = house.credentials.find(caller.agentUrl);
  const shown = await show(house, caller, credential, signal);
  const address = { url: caller.agentUrl, endpoint: "foreign" as const, credentials: shown.headers };
  const card = await readCardAt(await house.outbound(), address, signal).catch((error: unknown) => {
    if (NuncioError.is(error, "unauthenticated")) credential?.refused();
    throw error;
  });
  const own = typeof card.document.url === "string" && card.document.url !== "" ? [card.document.url] : [];
  for (const url of [...own, ...spokenInterfaces(card).map((spoken) => spoken.url)]) {
    if (denialOf(caller.persona.policy, url, house.development) !== null) throw cardDenied(url);
  }
  return wayTo(house, chooseInterface(card), card.streaming, credential, shown);
}

/** The way by which a message has gone before: no card is read, and so no other agent can be met. @throws as `openWay` */
export async function knownWay(
  house: CallHouse,
  caller: Caller,
  via: ChosenInterface,
  signal: AbortSignal,
): Promise<Way> {
  checkPolicy(caller, house.development);
  if (denialOf(caller.persona.policy, via.url, house.development) !== null) throw cardDenied(via.url);
  const credential = house.credentials.find(caller.agentUrl);
  return wayTo(house, via, false, credential, await show(house, caller, credential, signal));
}

async function wayTo(
  house: CallHouse,
  via: ChosenInterface,
  streaming: boolean,
  credential: RemoteCredential | null,
  { headers }: Shown,
): Promise<Way> {
  const { clientFor } = await import("../../a2a/client/open-agent.js");
  const credentials = credential?.covers(via.url) === true ? headers : {};
  const client = clientFor(via, { outbound: await house.outbound(), endpoint: "foreign", credentials });
  return { client, via, streaming, refused: () => credential?.refused() };
}

/** A persona is not told which file it is: that, and what is wrong with it, is for the operator. */
async function show(
  house: CallHouse,
  { persona: { tenant, name }, taskId, onShown }: Caller,
  credential: RemoteCredential | null,
  signal: AbortSignal,
): Promise<Shown> {
  if (credential === null) return NOTHING;
  try {
    const shown = await credential.show({ tenant, name }, signal);
    onShown(shown.secrets);
    return shown;
  } catch (error) {
    signal.throwIfAborted();
    house.onTrouble(error, { taskId, doing: "getting the credential for an agent outside" });
    throw new NuncioError("failed_precondition", "the credential for this agent cannot be used now", {
      reason: "CREDENTIAL_UNUSABLE",
      hint: "tell your caller: the operator finds the reason in the log of the daemon",
    });
  }
}

/** The URL is the card's words: it is quoted, and this goes into a fence. */
const cardDenied = (url: string): NuncioError =>
  new NuncioError(
    "permission_denied",
    `the agent's card names ${JSON.stringify(url.slice(0, 200))}, which your policy does not let you call`,
    { reason: "AGENT_CARD_DENIED" },
  );
