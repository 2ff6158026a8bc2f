import type { Resolver } from "../../src/outbound/resolve.js";

/** A URL that somebody else has named and that must not be opened. */
export interface Refused {
  what: string;
  url: string;
  reason: string;
  mode?: "development" | "production";
  allow?: string[];
  /** What names resolve to. */
  answers?: Record<string, string[]>;
}

const PUBLIC = "93.184.215.14";
const INSIDE = "OUTBOUND_ADDRESS_REFUSED";
const NO_URL = "OUTBOUND_URL_REFUSED";

/** Each spelling of an address that is not for everybody. */
const ADDRESSES = [
  ...[
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "１２７.０.０.１",
    "127。0。0。1",
  ],
  ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16"],
  ...["192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
  ...[
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
  ],
  ...["[2001:0:7f00:1::]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]"],
];

const NAMES: Refused[] = [
  { what: "localhost", url: "http://localhost./", reason: INSIDE, answers: { localhost: ["127.0.0.1"] } },
  { what: "a name that leads inside", url: "http://x/", reason: INSIDE, answers: { x: ["10.0.0.1"] } },
  { what: "a name in IDN that leads inside", url: "http://ｘ/", reason: INSIDE, answers: { x: ["::1"] } },
  { what: "one of several", url: "https://x/", reason: INSIDE, answers: { x: [PUBLIC, "10.0.0.1"] } },
  { what: "the last of several", url: "https://x/", reason: INSIDE, answers: { x: [PUBLIC, PUBLIC, "::1"] } },
  {
    what: "a metadata name, whatever it resolves to",
    ...{ url: "http://metadata.google.internal./", reason: INSIDE },
    answers: { "metadata.google.internal": [PUBLIC] },
  },
  { what: "no address", url: "https://x/", reason: "OUTBOUND_UNRESOLVED", answers: { x: [] } },
  {
    what: "too many addresses",
    ...{ url: "https://x/", reason: "OUTBOUND_UNRESOLVED" },
    answers: { x: Array(65).fill(PUBLIC) },
  },
  { what: "a name that nobody knows", url: "https://x/", reason: "OUTBOUND_UNRESOLVED" },
];

const EXCEPTIONS: Refused[] = [
  {
    what: "an allowed address at another port",
    url: "http://127.0.0.1:9001/",
    reason: INSIDE,
    allow: ["127.0.0.1:9000"],
  },
  {
    what: "another name of an allowed address",
    ...{ url: "http://x:9000/", reason: INSIDE, allow: ["127.0.0.1:9000"] },
    answers: { x: ["127.0.0.1"] },
  },
  {
    what: "an allowed name that leads to metadata",
    ...{ url: "http://x/", reason: INSIDE, allow: ["x:80"] },
    answers: { x: ["169.254.169.254"] },
  },
  { what: "metadata that is allowed", url: "http://169.254.169.254/", reason: INSIDE, allow: ["169.254.169.254:80"] },
  {
    what: "metadata that is allowed, mapped",
    ...{ url: "http://[::ffff:169.254.169.254]/", reason: INSIDE, allow: ["[::ffff:a9fe:a9fe]:80"] },
  },
];

const URLS: Refused[] = [
  ...["ftp://x/", "file:///etc/passwd", "x", "//x/", "javascript:1", "gopher://x/", ""].map((url) => ({
    ...{ what: `the URL ${JSON.stringify(url)}`, url, reason: NO_URL },
  })),
  { what: "a user in the URL", url: "https://me:secret@x/", reason: NO_URL },
  { what: "a line break in the URL", url: "https://x/\r\nhost: y", reason: NO_URL },
  { what: "port 0", url: "http://x:0/", reason: NO_URL },
];

const PRODUCTION: Refused[] = [
  {
    what: "plain http in production",
    ...{ url: "http://x/", reason: "OUTBOUND_HTTPS_REQUIRED", mode: "production" },
    answers: { x: [PUBLIC] },
  },
  {
    what: "an allowed pair over plain http in production",
    ...{
      url: "http://127.0.0.1:9000/",
      reason: "OUTBOUND_HTTPS_REQUIRED",
      mode: "production",
      allow: ["127.0.0.1:9000"],
    },
  },
];

/** Everything that must be refused, whoever of those that open URLs of others is asked. */
export const SSRF_MATRIX: readonly Refused[] = [
  ...ADDRESSES.map((address) => ({ what: address, url: `http://${address}/`, reason: INSIDE })),
  ...NAMES,
  ...EXCEPTIONS,
  ...URLS,
  ...PRODUCTION,
];

export const resolverOf =
  ({ answers = {} }: Pick<Refused, "answers">): Resolver =>
  async (host) => {
    const found = answers[host];
    if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
    return found;
  };
