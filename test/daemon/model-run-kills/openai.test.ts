import { describeModelRunKills } from "../../support/daemon/kill/model-run-kills.js";

describeModelRunKills("openai", "after");
