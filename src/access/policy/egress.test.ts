import { expect, it } from "vitest";
import { allowsEgress } from "./egress.js";

const policy = (egressHosts: string[], mode = "enforce") => ({ mode, tools: [], a2aTargets: [], egressHosts });

it.each([
  ["without a policy", undefined, "https://a.example/", true],
  ["a host that is named", policy(["b.example", "a.example"]), "https://a.example/x?y", true],
  ["in other letters", policy(["A.Example"]), "https://a.EXAMPLE/", true],
  ["on another port", policy(["a.example"]), "https://a.example:8443/", true],
  ["on the port that is named", policy(["a.example:8443"]), "https://a.example:8443/", true],
  ["on another port than is named", policy(["a.example:8443"]), "https://a.example/", false],
  ["the default port, named", policy(["a.example:443"]), "https://a.example/", true],
  ["a host below", policy(["example"]), "https://a.example/", false],
  ["a host above", policy(["a.example"]), "https://example/", false],
  ["a host that begins so", policy(["a.example"]), "https://a.example.org/", false],
  ["a host as the user of another", policy(["a.example"]), "https://a.example@b.example/", false],
  ["no pattern", policy(["*.example", "*"]), "https://a.example/", false],
  ["no hosts", policy([]), "https://a.example/", false],
  ["another mode", policy(["a.example"], "audit"), "https://a.example/", false],
])("net_http by policy: %s", (_, given, url, allowed) => {
  expect(allowsEgress(given, new URL(url))).toBe(allowed);
});
