import { resolve } from "node:path";
import { readTrustBundle } from "../access/agent-tokens/trust-bundle.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";

/** A start with a bundle that cannot be read would be one that refuses everybody whom the operator means to let in. */
export async function checkTrustBundles(
  { access: { trustBundles } }: Settings,
  directory: string,
  findings: Findings,
): Promise<void> {
  for (const [trustDomain, { jwksFile }] of Object.entries(trustBundles)) {
    const file = resolve(directory, jwksFile);
    const bundle = await readTrustBundle(file);
    if (!("problem" in bundle)) continue;
    const message = `${JSON.stringify(jwksFile)} ${bundle.problem}; use the keys of ${trustDomain} as a JWK set (looked for ${file})`;
    findings.refuse(["access", "trustBundles", trustDomain, "jwksFile"], message);
  }
}
