import { expect, it } from "vitest";
import { isOwnMachine } from "./own-machine.js";

it.each([
  ["localhost", true],
  ["LOCALHOST:4700", true],
  ["127.0.0.1", true],
  ["127.0.0.1:4700", true],
  ["[::1]", true],
  ["[::1]:4700", true],
  ["rebind.example", false],
  ["rebind.example:4700", false],
  ["localhost.rebind.example", false],
  ["127.0.0.1.rebind.example", false],
  ["localhost:4700.rebind.example", false],
  ["127.0.0.1:4700@rebind.example", false],
  ["localhost.", false],
  ["", false],
])("R6 a request for %j is of our own machine: %j", (host, own) => {
  expect(isOwnMachine(host)).toBe(own);
});
