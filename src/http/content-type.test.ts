import { describe, expect, it } from "vitest";
import { requireJson } from "./content-type.js";

describe("the content type of a request", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'APPLICATION/JSON;charset="UTF-8"',
    "application/a2a+json",
  ])("takes %s", (type) => {
    expect(() => requireJson(type)).not.toThrow();
  });

  it.each([
    undefined,
    "",
    "text/plain",
    "application/jsonp",
    "application/json; charset=latin1",
    "application/json, text/html",
    "multipart/form-data; boundary=x",
  ])("refuses %s", (type) => {
    expect(() => requireJson(type)).toThrow(expect.objectContaining({ reason: "CONTENT_TYPE_NOT_SUPPORTED" }));
  });
});
