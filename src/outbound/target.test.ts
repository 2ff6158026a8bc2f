import { expect, it } from "vitest";
import { parseTarget } from "./target.js";

it.each([
  ["https://agents.example.com/a?b#c", "agents.example.com", 443, "https://agents.example.com/a?b"],
  ["http://agents.example.com", "agents.example.com", 80, "http://agents.example.com/"],
  ["HTTPS://AGENTS.Example.COM.:8443/", "agents.example.com", 8443, "https://agents.example.com:8443/"],
  ["http://localhost./", "localhost", 80, "http://localhost/"],
  ["http://bücher.example/", "xn--bcher-kva.example", 80, "http://xn--bcher-kva.example/"],
  ["http://[2001:DB8::1]:81/", "2001:db8::1", 81, "http://[2001:db8::1]:81/"],
  ["http://a_b.example/", "a_b.example", 80, "http://a_b.example/"],
])("reads %s", (text, host, port, url) => {
  const target = parseTarget(text);
  expect({ host: target.host, port: target.port, url: target.url.href }).toEqual({ host, port, url });
});

it.each([
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://017700000001/",
  "http://0177.0.0.01/",
  "http://127.1/",
  "http://127.0.0.1./",
  "http://%31%32%37.0.0.1/",
  "http://１２７.0.0.1/",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
])("R4 takes %s for what it is: 127.0.0.1", (text) => {
  expect(parseTarget(text)).toMatchObject({ host: "127.0.0.1", isAddress: true });
});

it.each([
  ["", "is not an absolute URL"],
  ["/path", "is not an absolute URL"],
  ["agents.example.com", "is not an absolute URL"],
  ["http://256.1.1.1/", "is not an absolute URL"],
  ["http://[fe80::1%25eth0]/", "is not an absolute URL"],
  ["http://x:65536/", "is not an absolute URL"],
  ["http://x:0/", "must not name port 0"],
  ["ftp://x/", "must begin with"],
  ["file:///etc/passwd", "must begin with"],
  ["data:text/plain,x", "must begin with"],
  ["javascript:alert(1)", "must begin with"],
  ["http://user:secret@x/", "must not contain a user name"],
  ["http://secret@x/", "must not contain a user name"],
  ["ht\ntp://x/", "must not contain spaces or control"],
  [" http://x/", "must not contain spaces or control"],
  ["http://x/\u0000", "must not contain spaces or control"],
  ["http://a..b/", "has no valid host name"],
  ["http://x../", "has no valid host name"],
  ["http://-x.example/", "has no valid host name"],
  [`http://${"a".repeat(64)}.example/`, "has no valid host name"],
  [`http://${"a.".repeat(127)}example/`, "has no valid host name"],
  [`http://x/${"a".repeat(8200)}`, "must not be longer"],
])("R4 refuses %j", (text, problem) => {
  expect(() => parseTarget(text)).toThrow(
    expect.objectContaining({
      code: "invalid_argument",
      reason: "OUTBOUND_URL_REFUSED",
      message: expect.stringContaining(problem),
    }),
  );
});

it("R7 repeats nothing of a URL that it refuses", () => {
  try {
    parseTarget("http://user:hunter2@x/hunter2");
  } catch (error) {
    expect(String(error)).not.toContain("hunter2");
    return;
  }
  expect.unreachable();
});
