import { storesInFile, storesInMemory } from "../../../test/support/stores-on.js";
import { describePlanStore } from "../../plans/plan-store.contract.js";

describePlanStore("planned tasks in a SQLite file", storesInFile);
describePlanStore("planned tasks in memory", storesInMemory);
