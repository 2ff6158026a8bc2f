import { expect, it } from "vitest";
import { type Refused, resolverOf, SSRF_MATRIX } from "../../test/support/ssrf-matrix.js";
import { AllowedPairs } from "./allowed-pairs.js";
import { Checked, type Endpoint, type Rules } from "./check.js";

const PUBLIC = "93.184.215.14";

const rules = ({ mode = "development", allow = [], answers = {} }: Partial<Refused>): Rules => ({
  mode,
  allow: new AllowedPairs(allow),
  resolver: resolverOf({ answers }),
});

const outcome = async (given: Parameters<typeof rules>[0], url: string, endpoint: Endpoint = "foreign") => {
  try {
    return (await Checked.url(rules(given), url, endpoint)).addresses.join(" ");
  } catch (error) {
    return (error as { reason?: string }).reason;
  }
};

it.each<[string, Parameters<typeof rules>[0], string, Endpoint, string]>([
  ["a public name", { answers: { x: [PUBLIC] } }, "https://x/", "foreign", PUBLIC],
  ["a public address", {}, `https://${PUBLIC}/`, "foreign", PUBLIC],
  [
    "several addresses, all public",
    { answers: { x: [PUBLIC, "2606:4700::1"] } },
    "https://x/",
    "foreign",
    `${PUBLIC} 2606:4700::1`,
  ],
  ["plain http in development", { answers: { x: [PUBLIC] } }, "http://x/", "foreign", PUBLIC],
  ["https in production", { mode: "production", answers: { x: [PUBLIC] } }, "https://x/", "foreign", PUBLIC],
  [
    "plain http of the operator in production",
    { mode: "production", answers: { x: ["10.0.0.1"] } },
    "http://x/",
    "operator",
    "10.0.0.1",
  ],
  ["an allowed address", { allow: ["127.0.0.1:9000"] }, "http://127.0.0.1:9000/", "foreign", "127.0.0.1"],
  [
    "an allowed address in another spelling",
    { allow: ["127.0.0.1:9000"] },
    "http://0x7f.1:9000/",
    "foreign",
    "127.0.0.1",
  ],
  ["an allowed IPv6 address", { allow: ["[::1]:9000"] }, "http://[0:0::1]:9000/", "foreign", "::1"],
  ["an allowed pair at its default port", { allow: ["127.0.0.1:443"] }, "https://127.0.0.1/", "foreign", "127.0.0.1"],
  [
    "the same port by the other scheme's default",
    { allow: ["127.0.0.1:80"] },
    "http://127.0.0.1/",
    "foreign",
    "127.0.0.1",
  ],
  [
    "an allowed name",
    { allow: ["Inside.example:9000"], answers: { "inside.example": ["10.0.0.1"] } },
    "http://inside.example:9000/",
    "foreign",
    "10.0.0.1",
  ],
  ["loopback of the operator", {}, "http://127.0.0.1:4700/", "operator", "127.0.0.1"],
  ["metadata of the operator", {}, "http://169.254.169.254/", "operator", "OUTBOUND_ADDRESS_REFUSED"],
  [
    "a name of the operator that leads to metadata",
    { answers: { x: ["fd00:ec2::254"] } },
    "http://x/",
    "operator",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
])("R4 %s", async (_case, given, url, endpoint, expected) => {
  expect(await outcome(given, url, endpoint)).toBe(expected);
});

it.each(SSRF_MATRIX)("R4 refuses $what", async (given) => {
  expect(await outcome(given, given.url)).toBe(given.reason);
});

it("R4 says of no refusal which address it was", async () => {
  const refused = Checked.url(rules({ answers: { x: ["10.11.12.13"] } }), "https://x/", "foreign");
  await expect(refused).rejects.toThrow("x does not lead to a public address");
});

it("R4 a permission cannot be made up", () => {
  expect(Checked.is({ target: {}, addresses: ["127.0.0.1"] })).toBe(false);
  expect(Checked.is(Object.create(Checked.prototype))).toBe(false);
});
