import { describe, expect, it } from "vitest";
import { readQuery } from "./query.js";

const read = (text: string) => readQuery("list", new URLSearchParams(text));

describe("a query", () => {
  it("E20 has the types of the fields, and what is not known is passed over", () => {
    expect(
      read(
        "contextId=c%201&status=TASK_STATE_WORKING&pageSize=50&pageToken=x&historyLength=0&includeArtifacts=true" +
          "&statusTimestampAfter=2025-01-01T00:00:00%2B01:00&tenant=acme&page_size=3&A2A-Version=1.0&id=other&__proto__=1",
      ),
    ).toEqual({
      contextId: "c 1",
      status: "TASK_STATE_WORKING",
      pageSize: 50,
      pageToken: "x",
      historyLength: 0,
      includeArtifacts: true,
      statusTimestampAfter: "2025-01-01T00:00:00+01:00",
      tenant: "acme",
    });
    expect(read("pageSize=-1&includeArtifacts=false")).toEqual({ pageSize: -1, includeArtifacts: false });
    expect(readQuery("get", new URLSearchParams("historyLength=2&pageSize=x"))).toEqual({ historyLength: 2 });
    expect(readQuery("send", new URLSearchParams("tenant=x"))).toEqual({});
  });

  it.each([
    ["pageSize", "pageSize=ten"],
    ["pageSize", "pageSize="],
    ["pageSize", "pageSize=1.5"],
    ["pageSize", "pageSize=1e3"],
    ["pageSize", "pageSize=0x10"],
    ["pageSize", "pageSize=9999999999999999"],
    ["historyLength", "historyLength=%20"],
    ["includeArtifacts", "includeArtifacts=1"],
    ["includeArtifacts", "includeArtifacts=True"],
    ["includeArtifacts", "includeArtifacts"],
    ["contextId", "contextId=a&contextId=b"],
    ["pageSize", "pageSize=1&pageSize=1"],
  ])("E20 refuses what is wrong with %s: %s", (field, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});
