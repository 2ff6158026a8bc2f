import type { ToolHouse } from "../../src/tools/catalog.js";

/** For tests whose tools reach nothing outside of the house. */
export const NOTHING_OUTSIDE: Pick<ToolHouse, "outbound" | "channels"> = {
  outbound: async () => {
    throw new Error("there is no way out in this test");
  },
  channels: [],
};
