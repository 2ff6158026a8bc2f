import type { Principal } from "../../../access/principal.js";
import type { Persona } from "../../../personas/persona.js";
import { NuncioError } from "../../../shared/errors.js";
import * as check from "../../protocol/check.js";
import { checkTenant } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** Get Extended Agent Card (A2A 1.0, 3.1.11; 0.3, 7.10). */
export const extendedCard: Operation = async ({ caller, version, params }, { publication }) => {
  if (version === "1.0") checkTenant(caller, check.optionalLabel(params.tenant, "tenant"));
  const { persona, principal } = caller;
  const { cards } = publication;
  if (!persona.extendedCard || cards === undefined) throw notConfigured();
  return { type: "json", text: cards.extended(persona, version, levelOf(principal, persona)).body };
};

/** Who was let in without saying who they are learns nothing that the public card would not tell them (1.0, 13.3). */
function levelOf(principal: Principal, persona: Persona): "anybody" | "caller" | "insider" {
  if (principal.kind === "anonymous") return "anybody";
  return principal.kind === "operator" || principal.tenant === persona.tenant ? "insider" : "caller";
}

const notConfigured = (): NuncioError =>
  new NuncioError("unsupported", "this agent has no extended card", {
    reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
  });
