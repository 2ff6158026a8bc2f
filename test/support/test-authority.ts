import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its key, as servers take them (PEM). */
export interface Identity {
  cert: string;
  key: string;
}

/** A certificate authority that exists for one test. */
export class TestAuthority {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #name: Buffer;
  /** What a client has to trust (PEM). */
  readonly cert: string;

  constructor(name = "Test Authority") {
    this.#name = commonName(name);
    const extensions = [extension("551d13", true, sequence(boolean(true)))];
    this.cert = this.#issue(this.#name, this.#keys.publicKey, extensions);
  }

  /** @param hosts names and IPv4 addresses that the certificate is for */
  identityFor(...hosts: string[]): Identity {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const alternatives = hosts.map((host) =>
      isIP(host) === 4 ? tlv(0x87, Buffer.from(host.split(".").map(Number))) : tlv(0x82, Buffer.from(host)),
    );
    const extensions = [extension("551d11", false, sequence(...alternatives))];
    const cert = this.#issue(commonName(hosts[0] ?? "nobody"), publicKey, extensions);
    return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
  }

  /** RFC 5280, 4.1 */
  #issue(subject: Buffer, publicKey: KeyObject, extensions: Buffer[]): string {
    const now = Date.now();
    const certified = sequence(
      tlv(0xa0, integer(Buffer.of(2))),
      integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
      ECDSA_WITH_SHA256,
      this.#name,
      sequence(utcTime(now - HOUR_MS), utcTime(now + HOUR_MS)),
      subject,
      publicKey.export({ type: "spki", format: "der" }),
      tlv(0xa3, sequence(...extensions)),
    );
    const signature = sign("sha256", certified, this.#keys.privateKey);
    return pem(sequence(certified, ECDSA_WITH_SHA256, tlv(0x03, Buffer.concat([Buffer.of(0), signature]))));
  }
}

const HOUR_MS = 3_600_000;

/** A value of DER (X.690): its tag, its length, its content. */
function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...values: Buffer[]) => tlv(0x30, Buffer.concat(values));
const integer = (bytes: Buffer) => tlv(0x02, bytes);
const boolean = (value: boolean) => tlv(0x01, Buffer.of(value ? 0xff : 0));
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, "hex"));
const utcTime = (ms: number) =>
  tlv(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
const extension = (id: string, critical: boolean, value: Buffer) =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), tlv(0x04, value));
const commonName = (name: string) => sequence(tlv(0x31, sequence(oid("550403"), tlv(0x0c, Buffer.from(name)))));
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));

const pem = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n")}\n-----END CERTIFICATE-----\n`;
