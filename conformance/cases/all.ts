import type { Section } from "../table/case.js";
import { olderAnswers } from "./1.0.0-older-answers.js";
import { sendMessage } from "./3.1.1-send-message.js";
import { sendStreamingMessage } from "./3.1.2-send-streaming-message.js";
import { getTask } from "./3.1.3-get-task.js";
import { listTasks } from "./3.1.4-list-tasks.js";
import { cancelTask } from "./3.1.5-cancel-task.js";
import { subscribeToTask } from "./3.1.6-subscribe-to-task.js";
import { pushConfigs } from "./3.1.7-push-notification-configs.js";
import { extendedCard } from "./3.1.11-get-extended-agent-card.js";
import { configuration } from "./3.2.2-send-message-configuration.js";
import { historyLength } from "./3.2.4-history-length.js";
import { idempotency } from "./3.3.1-idempotency.js";
import { capabilities } from "./3.3.4-capability-validation.js";
import { multiTurn } from "./3.4-multi-turn.js";
import { eventDelivery } from "./3.5.2-streaming-event-delivery.js";
import { versioning } from "./3.6-versioning.js";
import { coreObjects } from "./4.1-core-objects.js";
import { pushPayload } from "./4.3.3-push-notification-payload.js";
import { extensions } from "./4.6-extensions.js";
import { methodMapping } from "./5.3-method-mapping.js";
import { errorMappings } from "./5.4-error-code-mappings.js";
import { timestamps } from "./5.6.1-timestamps.js";
import { fieldPresence } from "./5.7-field-presence.js";
import { authentication } from "./7-authentication.js";
import { agentCard } from "./8-agent-card.js";
import { jsonRpcBinding } from "./9-json-rpc.js";
import { grpcBinding } from "./10-grpc.js";
import { httpJsonBinding } from "./11-http-json.js";

/** The table: every case, by section of the specification. */
export const SECTIONS: readonly Section[] = [
  sendMessage,
  sendStreamingMessage,
  getTask,
  listTasks,
  cancelTask,
  subscribeToTask,
  pushConfigs,
  extendedCard,
  configuration,
  historyLength,
  idempotency,
  capabilities,
  multiTurn,
  eventDelivery,
  versioning,
  coreObjects,
  pushPayload,
  extensions,
  methodMapping,
  errorMappings,
  timestamps,
  fieldPresence,
  authentication,
  agentCard,
  jsonRpcBinding,
  grpcBinding,
  httpJsonBinding,
  olderAnswers,
];
