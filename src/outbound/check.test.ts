import { expect, it } from "vitest";
import { AllowedPairs } from "./allowed-pairs.js";
import { Checked, type Endpoint, type Rules } from "./check.js";
import type { Resolver } from "./resolve.js";

const PUBLIC = "93.184.215.14";

function rules({
  mode = "development",
  allow = [],
  answers = {},
}: Partial<{ mode: Rules["mode"]; allow: string[]; answers: Record<string, string[]> }>): Rules {
  const resolver: Resolver = async (host) => {
    const found = answers[host];
    if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
    return found;
  };
  return { mode, allow: new AllowedPairs(allow), resolver };
}

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
  [
    "one of several that is not",
    { answers: { x: [PUBLIC, "10.0.0.1"] } },
    "https://x/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  [
    "the last of several",
    { answers: { x: [PUBLIC, PUBLIC, "::1"] } },
    "https://x/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  ["no address", { answers: { x: [] } }, "https://x/", "foreign", "OUTBOUND_UNRESOLVED"],
  ["too many addresses", { answers: { x: Array(65).fill(PUBLIC) } }, "https://x/", "foreign", "OUTBOUND_UNRESOLVED"],
  ["a name that nobody knows", {}, "https://x/", "foreign", "OUTBOUND_UNRESOLVED"],
  ["loopback by number", {}, "http://2130706433/", "foreign", "OUTBOUND_ADDRESS_REFUSED"],
  [
    "loopback by name",
    { answers: { localhost: ["127.0.0.1"] } },
    "http://localhost./",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  ["0.0.0.0", {}, "http://0/", "foreign", "OUTBOUND_ADDRESS_REFUSED"],
  [
    "a metadata name, whatever it resolves to",
    { answers: { "metadata.google.internal": [PUBLIC] } },
    "http://metadata.google.internal./",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  ["plain http in development", { answers: { x: [PUBLIC] } }, "http://x/", "foreign", PUBLIC],
  [
    "plain http in production",
    { mode: "production", answers: { x: [PUBLIC] } },
    "http://x/",
    "foreign",
    "OUTBOUND_HTTPS_REQUIRED",
  ],
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
    "an allowed address at another port",
    { allow: ["127.0.0.1:9000"] },
    "http://127.0.0.1:9001/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  [
    "another name of an allowed address",
    { allow: ["127.0.0.1:9000"], answers: { x: ["127.0.0.1"] } },
    "http://x:9000/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  [
    "an allowed name",
    { allow: ["Inside.example:9000"], answers: { "inside.example": ["10.0.0.1"] } },
    "http://inside.example:9000/",
    "foreign",
    "10.0.0.1",
  ],
  [
    "an allowed pair over plain http in production",
    { mode: "production", allow: ["127.0.0.1:9000"] },
    "http://127.0.0.1:9000/",
    "foreign",
    "OUTBOUND_HTTPS_REQUIRED",
  ],
  [
    "an allowed pair that leads to metadata",
    { allow: ["x:80"], answers: { x: ["169.254.169.254"] } },
    "http://x/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  [
    "metadata that is allowed",
    { allow: ["169.254.169.254:80"] },
    "http://169.254.169.254/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
  ],
  [
    "metadata that is allowed, mapped",
    { allow: ["[::ffff:a9fe:a9fe]:80"] },
    "http://[::ffff:169.254.169.254]/",
    "foreign",
    "OUTBOUND_ADDRESS_REFUSED",
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

it("R4 says of no refusal which address it was", async () => {
  const refused = Checked.url(rules({ answers: { x: ["10.11.12.13"] } }), "https://x/", "foreign");
  await expect(refused).rejects.toThrow("x does not lead to a public address");
});

it("R4 a permission cannot be made up", () => {
  expect(Checked.is({ target: {}, addresses: ["127.0.0.1"] })).toBe(false);
  expect(Checked.is(Object.create(Checked.prototype))).toBe(false);
});
