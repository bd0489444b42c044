import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type Bytes, bytesOf, fromBase64Url } from "#sealing/bytes.ts";

// Sources: RFC 7515 (signatures), RFC 7517 (keys), RFC 7519 (claims), RFC 8725 (best practices).

/** A public key of an issuer. Its own fields decide what it is used for: the header of a token is not trusted. */
export const IssuerKey = z.looseObject({
  kty: z.string(),
  kid: z.optional(z.string()),
  alg: z.optional(z.string()),
  use: z.optional(z.string()),
});
export type IssuerKey = z.infer<typeof IssuerKey>;

const Header = z.object({ alg: z.string(), kid: z.optional(z.string()), crit: z.optional(z.unknown()) });

const Claims = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.optional(z.number()),
  nbf: z.optional(z.number()),
});
export type IdentityClaims = z.infer<typeof Claims>;

/** A parsed identity token. Do not trust its claims before `verifySignature` succeeds. */
export type ReadIdentityToken = {
  readonly algorithm: string;
  /** The id of the key; null: the token names none. */
  readonly keyId: string | null;
  readonly claims: IdentityClaims;
  readonly signed: Bytes;
  readonly signature: Bytes;
};

type Refused = { readonly problem: string };

/** Reads an identity token without verifying it. A problem is a sentence. */
export function readIdentityToken(text: string): ResultOf<ReadIdentityToken, Refused> {
  const [head = "", body = "", signature = "", ...more] = text.trim().split(".");
  const header = Header.safeParse(jsonOf(head));
  const claims = Claims.safeParse(jsonOf(body));
  const bytes = fromBase64Url(signature);
  if (more.length > 0 || !header.success || bytes === null || jsonOf(body) === null)
    return refused("It is not a JSON web token: three parts in base64url, with dots between them.");
  if (!claims.success) return refused("It is not an identity token: it lacks a valid iss, aud or exp.");
  // An extension that must be understood. Source: RFC 7515 section 4.1.11.
  if (header.data.crit !== undefined) return refused("Its header has crit, which is not supported.");
  return succeed({
    algorithm: header.data.alg,
    keyId: header.data.kid ?? null,
    claims: claims.data,
    signed: bytesOf(`${head}.${body}`),
    signature: bytes,
  });
}

/** How far the clock of an issuer may differ. */
const LEEWAY_S = 30;

/** Longer than any job. A token that stays valid is a stored secret. */
const MAX_VALID_S = 31 * 24 * 60 * 60;

/** Why the times of a token make it invalid, as a sentence; null: they do not. @param nowMs Unix milliseconds */
export function problemOfTimes({ exp, iat, nbf }: IdentityClaims, nowMs: number): string | null {
  const now = nowMs / 1000;
  if (exp <= now - LEEWAY_S) return `It expired ${ago(now - exp)} ago.`;
  if (Math.max(iat ?? 0, nbf ?? 0) > now + LEEWAY_S)
    return "It is not valid yet: the clock of its issuer is ahead of the clock of this installation.";
  if (exp > now + MAX_VALID_S) return "It is valid for more than 31 days. Ask for a token of a job.";
  return null;
}

/** Why a token is not for this audience, as a sentence; null: it is. */
export function problemOfAudience({ aud }: IdentityClaims, audience: string): string | null {
  const audiences = typeof aud === "string" ? [aud] : aud;
  // A token with several audiences could be used here by another receiver.
  if (audiences.length !== 1) return "The token has several audiences. Ask for a token with one.";
  return audiences[0] === audience
    ? null
    : `The token is for the audience ${audiences[0]}. The rule requires ${audience}.`;
}

function ago(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

const algorithms = {
  RS256: { kty: "RSA", parameters: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, fields: ["n", "e"] },
  ES256: {
    kty: "EC",
    parameters: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
    fields: ["crv", "x", "y"],
  },
} as const;

/** Whether one of the keys has signed the token. Only the key that the token names counts, if it names one. */
export async function isSignedBy(
  { algorithm, keyId, signed, signature }: ReadIdentityToken,
  keys: readonly IssuerKey[],
): Promise<boolean> {
  if (algorithm !== "RS256" && algorithm !== "ES256") return false;
  const { kty, parameters, fields } = algorithms[algorithm];
  const usable = keys.filter(
    (key) =>
      key.kty === kty &&
      (key.alg ?? algorithm) === algorithm &&
      (key.use ?? "sig") === "sig" &&
      (keyId === null || key.kid === keyId),
  );
  for (const key of usable) {
    const jwk = { kty, ...Object.fromEntries(fields.map((name) => [name, key[name]])) };
    const imported = await importOrNull(jwk, parameters);
    if (imported !== null && (await crypto.subtle.verify(parameters, imported, signature, signed)))
      return true;
  }
  return false;
}

/** Whether tokens with this algorithm are verified here. */
export function isKnownAlgorithm(algorithm: string): boolean {
  return Object.hasOwn(algorithms, algorithm);
}

async function importOrNull(
  jwk: JsonWebKey,
  parameters: SubtleCryptoImportKeyAlgorithm,
): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
  } catch {
    // A key of the issuer that is not valid.
    return null;
  }
}

function jsonOf(part: string): unknown {
  const bytes = fromBase64Url(part);
  if (bytes === null || bytes.length === 0) return null;
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) ?? null;
  } catch {
    return null;
  }
}

function refused(problem: string): { readonly ok: false } & Refused {
  return { ok: false, problem };
}
