import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";

type Rules = Pick<Config, "mode" | "outbound">;

/**
 * The one way to other hosts, loaded when somebody first goes it, and made anew when its rules are others.
 *
 * @param rules as they stand
 */
export function wayOut(rules: () => Rules): () => Promise<Outbound> {
  let opened: { by: Rules; way: Promise<Outbound> } | undefined;
  return () => {
    const by = rules();
    if (opened?.by !== by) {
      const { mode, outbound } = by;
      const way = import("../outbound/outbound.js").then(({ createOutbound }) =>
        createOutbound({ mode, allow: outbound.allow }),
      );
      opened = { by, way };
    }
    return opened.way;
  };
}
