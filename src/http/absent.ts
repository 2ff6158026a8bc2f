import type { FastifyReply } from "fastify";

/**
 * The answer for everything that is not there. A private agent gives it to everybody outside its tenant, byte for byte:
 * nothing in it may depend on the request.
 */
export const replyAbsent = (reply: FastifyReply): FastifyReply =>
  reply.code(404).header("content-type", "application/json; charset=utf-8").send('{"error":"not found"}');
