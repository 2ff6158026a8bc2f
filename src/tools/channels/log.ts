import type { Logger } from "../../telemetry/logger.js";
import type { Channel } from "./channel.js";

/** The daemon's own log. */
export const logChannel = (name: string, logger: Pick<Logger, "info">): Channel => ({
  name,
  post: async (post) => logger.info({ channel: name, ...post }, "posted to a channel"),
});
