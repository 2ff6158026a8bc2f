import { describe, expect, it } from "vitest";
import { readList, writeList } from "./lists.js";

describe("a request to list tasks", () => {
  it("E20 asks for fifty tasks without artifacts when it says nothing", () => {
    const nothing = { pageSize: 50, includeArtifacts: false };
    expect(readList({})).toEqual(nothing);
    expect(
      readList({
        tenant: "",
        contextId: "",
        status: "TASK_STATE_UNSPECIFIED",
        pageSize: null,
        pageToken: "",
        historyLength: null,
        statusTimestampAfter: null,
        includeArtifacts: null,
        future: { x: 1 },
      }),
    ).toEqual(nothing);
  });

  it("E20 takes every filter", () => {
    expect(
      readList({
        tenant: "acme",
        contextId: "c1",
        status: "TASK_STATE_INPUT_REQUIRED",
        pageSize: 100,
        pageToken: "abc",
        historyLength: 0,
        statusTimestampAfter: "2025-10-28T12:30:00.5+02:00",
        includeArtifacts: true,
      }),
    ).toEqual({
      interfaceTenant: "acme",
      contextId: "c1",
      standings: [
        { state: "waiting", waitingFor: "input", started: false },
        { state: "waiting", waitingFor: "input", started: true },
      ],
      pageSize: 100,
      pageToken: "abc",
      historyLength: 0,
      statusSince: Date.UTC(2025, 9, 28, 10, 30, 0, 500),
      includeArtifacts: true,
    });
  });

  it.each<[string, unknown]>([
    ["pageSize", 0],
    ["pageSize", -1],
    ["pageSize", 101],
    ["pageSize", 1.5],
    ["pageSize", "10"],
    ["pageSize", true],
    ["pageToken", 7],
    ["pageToken", "x".repeat(300)],
    ["status", "TASK_STATE_RUNNING"],
    ["status", "working"],
    ["status", "toString"],
    ["status", 2],
    ["status", ["TASK_STATE_WORKING"]],
    ["contextId", 7],
    ["contextId", "a\nb"],
    ["contextId", "x".repeat(300)],
    ["historyLength", -1],
    ["historyLength", "1"],
    ["statusTimestampAfter", "yesterday"],
    ["statusTimestampAfter", 1_700_000_000],
    ["includeArtifacts", "true"],
    ["includeArtifacts", 1],
    ["tenant", {}],
  ])("E20 refuses what is wrong with %s: %j", (field, value) => {
    expect(() => readList({ [field]: value })).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});

it("E20 an answer without tasks has all four fields", () => {
  const request = { pageSize: 7, includeArtifacts: false };
  expect(JSON.parse(writeList({ tasks: [], total: 0, nextPageToken: "" }, request))).toEqual({
    tasks: [],
    nextPageToken: "",
    pageSize: 7,
    totalSize: 0,
  });
});
