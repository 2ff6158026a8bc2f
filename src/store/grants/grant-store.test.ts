import { storesInFile, storesInMemory } from "../../../test/support/stores-on.js";
import { describeGrantStore } from "../../plans/grant-store.contract.js";

describeGrantStore("grants in a SQLite file", storesInFile);
describeGrantStore("grants in memory", storesInMemory);
