import { z } from "zod";
import { operator } from "../../../../access/principal.js";
import { newId } from "../../../../shared/ids.js";
import { bodyHash } from "../../../../tasks/body-hash.js";
import type { Message } from "../../../../tasks/message.js";
import { findPersona } from "../../find-persona.js";
import { operation } from "../../operation.js";
import { id, messageId, messageText, tenantName } from "../../schema/fields.js";
import { taskSummary } from "../../schema/task.js";
import { summaryOf } from "../../task-json.js";

/** Durable when it answers. The same messageId with the same content gives the task that exists. */
export const sendTask = operation({
  method: "POST",
  path: "/v1/tasks",
  status: 201,
  request: z.strictObject({
    persona: z.string().min(1).max(64),
    tenant: tenantName,
    text: messageText,
    contextId: id.optional(),
    messageId: messageId.optional(),
  }),
  response: taskSummary.extend({ created: z.boolean() }),
  async handle({ persona, tenant, text, contextId, messageId = newId() }, { personas, service }) {
    findPersona(personas, tenant, persona);
    const message: Message = { messageId, role: "user", parts: [{ text }] };
    const { task, created } = await service.submit({
      tenant,
      persona,
      principal: operator.subject,
      trigger: "cli",
      ...(contextId !== undefined && { contextId }),
      message,
      bodyHash: bodyHash(message, contextId === undefined ? {} : { contextId }),
    });
    return { ...summaryOf(task), created };
  },
});
