import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashApiKey, isApiKey, KEY_NAME, newApiKey, userSubject } from "./api-key.js";

describe("API keys", () => {
  it("E5 are random, recognizable, and kept only as their SHA-256", () => {
    const one = newApiKey();
    const two = newApiKey();
    expect(one.key).not.toBe(two.key);
    expect(one.key).toMatch(/^nk_[A-Za-z0-9_-]{43}$/);
    expect(one.hash).toBe(createHash("sha256").update(one.key).digest("hex"));
    expect(one.hash).toBe(hashApiKey(one.key));
  });

  it.each(["", "nk_", "nk_short", `nk_${"a".repeat(44)}`, `nk_${"a".repeat(42)}!`, `sk_${"a".repeat(43)}`])(
    "do not look like %j",
    (text) => {
      expect(isApiKey(text)).toBe(false);
    },
  );

  it("E10 holders of one name in two tenants are two subjects, whatever the name", () => {
    expect(userSubject("default", "app")).toBe("user:app");
    expect(userSubject("acme", "app")).toBe("user:acme/app");
    expect(KEY_NAME.test("acme/app")).toBe(false);
    expect(KEY_NAME.test("billing-app@2")).toBe(true);
  });
});
