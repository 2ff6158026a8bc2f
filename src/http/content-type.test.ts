import { describe, expect, it } from "vitest";
import { requireJson } from "./content-type.js";

describe("the content type of a request", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'APPLICATION/JSON;charset="UTF-8"',
    "application/a2a+json",
  ])("takes %s", (type) => {
    expect(() => requireJson({ "content-type": type })).not.toThrow();
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
    expect(() => requireJson({ "content-type": type })).toThrow(
      expect.objectContaining({ reason: "CONTENT_TYPE_NOT_SUPPORTED" }),
    );
  });

  it.each(["identity", "Identity ", ""])("takes a body as it is: content-encoding %j", (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect(() => requireJson(headers)).not.toThrow();
  });

  it.each(["gzip", "br", "identity, gzip", "aws-chunked"])("refuses a body that is packed: %s", (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect(() => requireJson(headers)).toThrow(expect.objectContaining({ reason: "CONTENT_ENCODING_NOT_SUPPORTED" }));
  });
});
