import { storesInFile, storesInMemory } from "../../../test/support/stores-on.js";
import { describePeerStore } from "../../peers/peer-store.contract.js";

describePeerStore("peers in a SQLite file", storesInFile);
describePeerStore("peers in memory", storesInMemory);
