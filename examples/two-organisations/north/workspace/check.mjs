import assert from "node:assert/strict";
import { price } from "./price.mjs";

assert.equal(price(3, 9_900), 29_700);
