import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** An identity provider on loopback, with as much of it as a verifier sees. */
export async function startIdentityProvider() {
  const keys = new Map<string, { privateKey: CryptoKey; publicKey: CryptoKey; alg: string }>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url as string);
    response.setHeader("content-type", "application/json");
    if (request.url === "/.well-known/openid-configuration") {
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }));
    } else {
      const published = [...keys].map(async ([kid, { publicKey, alg }]) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg,
      }));
      response.end(JSON.stringify({ keys: await Promise.all(published) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider = {
    issuer,
    /** Paths that were asked for. */
    requests,
    keys,
    async addKey(kid: string, alg = "RS256") {
      keys.set(kid, { ...(await generateKeyPair(alg, { extractable: true })), alg });
    },
    /** A token as it issues them; undefined takes a claim away. */
    async token(claims: JWTPayload = {}, header: { kid?: string; typ?: string; alg?: string } = {}): Promise<string> {
      const kid = header.kid ?? ([...keys.keys()][0] as string);
      const { privateKey, alg } = keys.get(kid) as { privateKey: CryptoKey; alg: string };
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: "nuncio",
        sub: "ada",
        iat: now,
        exp: now + 300,
        scope: "openid runs:execute",
      };
      return new SignJWT({ ...payload, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await provider.addKey("first");
  return provider;
}
