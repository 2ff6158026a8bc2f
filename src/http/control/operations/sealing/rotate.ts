import { z } from "zod";
import { operation } from "../../operation.js";
import { rotatedSealing } from "../../schema/sealing.js";

/** Answers when everything is sealed with the new key; interrupted, it may be asked for again. */
export const rotateSealing = operation({
  method: "POST",
  path: "/v1/sealing/rotate",
  request: z.strictObject({}),
  response: rotatedSealing,
  async handle(_request, deps) {
    const { current, ...rotated } = await deps.rotateSealing();
    return { key: current, ...rotated };
  },
});
