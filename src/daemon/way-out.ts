import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";

/** The one way to other hosts, loaded when somebody first goes it. */
export function wayOut({ mode, outbound: { allow } }: Config): () => Promise<Outbound> {
  let opened: Promise<Outbound> | undefined;
  return () => {
    opened ??= import("../outbound/outbound.js").then(({ createOutbound }) => createOutbound({ mode, allow }));
    return opened;
  };
}
