import assert from "node:assert/strict";
import { route } from "./route.mjs";

const stops = [
  { name: "harbor", open: true },
  { name: "museum", open: false },
];
assert.deepEqual(route(stops), ["harbor"]);
