import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addCardKey, readCardKeys } from "./card-key-file.js";

describe("the keys that sign cards", () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-card-keys-"));
    file = join(directory, "keys", "card.pem");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (...blocks: string[]) => {
    file = join(directory, "card.pem");
    writeFileSync(file, blocks.join("\n"), { mode: 0o600 });
  };
  const pair = (namedCurve = "P-256") => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
    return {
      private: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
      sec1: privateKey.export({ type: "sec1", format: "pem" }) as string,
      public: publicKey.export({ type: "spki", format: "pem" }) as string,
    };
  };

  it("X13 are made with mode 0600, and changed so that the earlier one stays, without its private part", () => {
    expect(readCardKeys(file)).toBeNull();
    const first = addCardKey(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(first.published).toEqual([]);
    const second = addCardKey(file);
    expect(readFileSync(file, "utf8").match(/BEGIN PRIVATE KEY/g)).toHaveLength(1);
    const read = readCardKeys(file);
    expect(read?.signing.equals(second.signing)).toBe(true);
    expect(read?.published.map((key) => key.export({ format: "jwk" }))).toEqual([
      { ...first.signing.export({ format: "jwk" }), d: undefined },
    ]);
    for (let round = 0; round < 20; round++) addCardKey(file);
    expect(readCardKeys(file)?.published).toHaveLength(15);
  });

  it("may be written by others: in either form, private and public ones together", () => {
    const [old, next, retired] = [pair(), pair(), pair()];
    write(retired.public, old.sec1, next.private, "trailing text");
    const read = readCardKeys(file);
    expect(read?.signing.export({ type: "pkcs8", format: "pem" })).toBe(old.private);
    expect(read?.published.map((key) => key.export({ type: "spki", format: "pem" }))).toEqual([
      retired.public,
      next.public,
    ]);
  });

  it("are what openssl makes", () => {
    // It names the curve in a block of its own, unless it is told not to.
    write("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----", pair().sec1);
    expect(readCardKeys(file)?.signing.type).toBe("private");
  });

  it("R7 are refused where others may read them, with the command that mends it", () => {
    write(pair().private);
    chmodSync(file, 0o640);
    expect(() => readCardKeys(file)).toThrow(
      expect.objectContaining({
        message: `${file} has mode 0640: others may use it`,
        hint: expect.stringContaining(`chmod 600 ${file}`),
      }),
    );
  });

  it.each([
    ["another curve", () => [pair("P-384").private], "not on the curve P-256"],
    ["an RSA key", () => [rsa()], "not on the curve P-256"],
    ["public keys alone", () => [pair().public], "holds no private key"],
    ["nothing", () => [""], "holds no private key"],
    ["a key behind a passphrase", () => [encrypted()], "is encrypted"],
    ["a block that is broken", () => [pair().private.replace("MIG", "!!!")], "cannot be read"],
    ["a certificate", () => ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"], "cannot be read"],
    ["too many keys", () => Array.from({ length: 17 }, () => pair().private), "more than 16 keys"],
  ])("R5 %s: refused with what to do instead", (_what, blocks, message) => {
    write(...blocks());
    expect(() => readCardKeys(file)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), hint: expect.stringMatching(/./) }),
    );
  });

  const rsa = () =>
    generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const encrypted = () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
      ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
    } as never) as unknown as string;
});
