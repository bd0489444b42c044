import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";

import { serveIssuers } from "./receivers/issuer-server.ts";

/** An issuer of identity tokens on a real socket, for tests that run in Node. */
export type JobIssuer = {
  readonly url: string;
  /** A token for an audience, with these claims besides the usual ones. */
  token(audience: string, claims: Readonly<Record<string, unknown>>): string;
  close(): void;
};

export async function startJobIssuer(): Promise<JobIssuer> {
  const server = await serveIssuers();
  const name = randomUUID();
  const url = `${server.url}/issuer/${name}`;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const jwk = { ...createPublicKey(publicKey).export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" };
  const answers = {
    "/.well-known/openid-configuration": { body: JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` }) },
    "/jwks": { body: JSON.stringify({ keys: [jwk] }) },
  };
  await fetch(`${server.url}/control/${name}`, { method: "PUT", body: JSON.stringify(answers) });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return {
    url,
    token(audience, claims) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: url, aud: audience, iat: now, exp: now + 300, jti: randomUUID() };
      const text = `${part({ alg: "RS256", kid: "1" })}.${part({ ...usual, ...claims })}`;
      return `${text}.${sign("sha256", Buffer.from(text), createPrivateKey(privateKey)).toString("base64url")}`;
    },
    close: () => server.close(),
  };
}
