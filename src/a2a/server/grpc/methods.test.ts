import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../operations/index.js";
import { methodsOf } from "./methods.js";

const described = (service: Record<string, { path: string; responseStream: boolean }>) =>
  Object.values(service)
    .map(({ path, responseStream }) => `${path} ${responseStream}`)
    .sort();
const ours = (version: "1.0" | "0.3") =>
  methodsOf(version)
    .map(({ path, streams }) => `${path} ${streams}`)
    .sort();

describe("the services", () => {
  it("E20 have the methods of the official descriptors, and no others", () => {
    expect(ours("1.0")).toEqual(described(A2AService));
    expect(ours("0.3")).toEqual(described(LegacyA2AService));
  });

  it("E20 have every operation once; that of 0.3 has no list", () => {
    const operations = Object.keys(OPERATIONS).sort();
    const served = (version: "1.0" | "0.3") =>
      methodsOf(version)
        .map(({ operation }) => operation as string)
        .sort();
    expect(served("1.0")).toEqual(operations);
    expect(served("0.3")).toEqual(operations.filter((name) => name !== "list"));
  });
});
