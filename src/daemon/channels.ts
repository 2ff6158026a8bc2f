import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";
import type { Logger } from "../telemetry/logger.js";
import type { Channel } from "../tools/channels/channel.js";
import { logChannel } from "../tools/channels/log.js";
import { slackWebhook } from "../tools/channels/slack-webhook.js";
import { webhook } from "../tools/channels/webhook.js";

/** The channels of a configuration. From here on nobody else knows their URLs. */
export const openChannels = (
  channels: Config["channels"],
  outbound: () => Promise<Pick<Outbound, "fetch">>,
  logger: Pick<Logger, "info">,
): Channel[] => channels.map((channel) => openChannel(channel, outbound, logger));

function openChannel(
  channel: Config["channels"][number],
  outbound: () => Promise<Pick<Outbound, "fetch">>,
  logger: Pick<Logger, "info">,
): Channel {
  switch (channel.type) {
    case "slack-webhook":
      return slackWebhook(channel.name, channel.url, outbound);
    case "webhook":
      return webhook(channel.name, channel.url, outbound);
    case "log":
      return logChannel(channel.name, logger);
  }
}
