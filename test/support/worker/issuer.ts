import { inject } from "vitest";
import * as z from "zod/mini";

import { objectOf } from "#contract/lib/json-object.ts";
import { bytesOf, toBase64Url } from "#sealing/bytes.ts";
import type { IssuerAnswer } from "../receivers/issuer-server.ts";
import { ORIGIN } from "./call.ts";

type Algorithm = "RS256" | "ES256";

const parameters = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
} as const;

/** A key pair of an issuer. */
export type SigningKey = {
  readonly algorithm: Algorithm;
  readonly kid: string;
  readonly pair: CryptoKeyPair;
};

export async function newKey(algorithm: Algorithm = "RS256", kid = crypto.randomUUID()): Promise<SigningKey> {
  const pair = await crypto.subtle.generateKey(parameters[algorithm], true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("the key has two halves");
  return { algorithm, kid, pair };
}

/** The public half of a key, as an issuer publishes it. */
export async function publicJwk({ algorithm, kid, pair }: SigningKey): Promise<Record<string, unknown>> {
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { ...objectOf(jwk), kid, alg: algorithm, use: "sig" };
}

/** Signs claims with a key. @param header replaces fields of the header */
export async function signed(
  { algorithm, kid, pair }: SigningKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const part = (value: unknown) => toBase64Url(bytesOf(JSON.stringify(value)));
  const text = `${part({ alg: algorithm, kid, typ: "JWT", ...header })}.${part(claims)}`;
  const signature = await crypto.subtle.sign(parameters[algorithm], pair.privateKey, bytesOf(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

const CONFIGURATION = "/.well-known/openid-configuration";

/** An issuer of identity tokens on a real socket, with a key of its own. */
export class TestIssuer {
  readonly #name = crypto.randomUUID();
  readonly url = `${inject("issuersUrl")}/issuer/${this.#name}`;
  #keys: readonly SigningKey[] = [];

  /** An issuer that publishes one new key. */
  static async start(algorithm: Algorithm = "RS256"): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    await issuer.publish(await newKey(algorithm));
    return issuer;
  }

  /** The key that it signs with. */
  get key(): SigningKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("the issuer has no key");
    return key;
  }

  /** Publishes these keys instead of the earlier ones, and signs with the first. */
  async publish(...keys: readonly SigningKey[]): Promise<void> {
    this.#keys = keys;
    const jwks = { keys: await Promise.all(keys.map((key) => publicJwk(key))) };
    await this.answers({ "/jwks": { body: JSON.stringify(jwks) } });
  }

  /** Replaces answers, by path. The configuration is served unless it is replaced too. */
  async answers(answers: Readonly<Record<string, IssuerAnswer>>): Promise<void> {
    const configuration = JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/jwks` });
    const body = JSON.stringify({ [CONFIGURATION]: { body: configuration }, ...answers });
    await (await fetch(this.#control(), { method: "PUT", body })).text();
  }

  /** The paths that it was asked for. */
  async asked(): Promise<string[]> {
    return z.array(z.string()).parse(await (await fetch(this.#control())).json());
  }

  /** An identity token for the installation of the tests, with these claims besides the usual ones. */
  async token(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      iss: this.url,
      aud: ORIGIN,
      iat: now,
      nbf: now,
      exp: now + 300,
      jti: crypto.randomUUID(),
    };
    return await signed(this.key, { ...usual, ...claims });
  }

  #control(): string {
    return `${inject("issuersUrl")}/control/${this.#name}`;
  }
}
