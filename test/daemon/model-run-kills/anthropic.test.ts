import { describeModelRunKills } from "../../support/daemon/kill/model-run-kills.js";

describeModelRunKills("anthropic", "before");
