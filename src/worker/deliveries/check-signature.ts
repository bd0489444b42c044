import type { HookForge, PushReason } from "#contract/endpoints/hooks/push-decisions.ts";
import { type Bytes, bytesOf, sha256 } from "#sealing/bytes.ts";
import { isSigned, TOLERANCE_S } from "#sealing/standard-webhook.ts";
import { first, forgeOf } from "#worker/deliveries/delivery-headers.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** A GitLab signing token: base64 of 24 bytes or more. Another secret can only be sent as it is. */
const SIGNING_TOKEN = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

type Signed = { readonly headers: Headers; readonly body: Bytes };

export type ForgedReason = Extract<PushReason, "bad_signature" | "no_signature" | "too_old" | "other_forge">;

/**
 * Checks who sent a delivery: only by the signature of the hook's own kind of forge.
 * @param nowS Unix seconds
 * @returns null if it is signed with one of the secrets, otherwise why it is refused
 */
export async function refuseForged(
  forge: HookForge,
  secrets: readonly string[],
  signed: Signed,
  nowS: number,
): Promise<ForgedReason | null> {
  const sender = forgeOf(signed.headers);
  if (sender !== null && sender !== forge) return "other_forge";
  switch (forge) {
    case "github":
      return await refuseForgedHex(
        secrets,
        signed,
        first(signed.headers, ["x-hub-signature-256"]),
        "sha256=",
      );
    case "bitbucket":
      return await refuseForgedHex(secrets, signed, first(signed.headers, ["x-hub-signature"]), "sha256=");
    case "gitea": {
      const names = ["x-forgejo-signature", "x-gitea-signature"];
      return await refuseForgedHex(secrets, signed, first(signed.headers, names), "");
    }
    case "git":
      return await refuseForgedHex(secrets, signed, first(signed.headers, ["x-gantry-signature"]), "");
    case "registry":
      return await refuseWrongBearer(secrets, signed.headers.get("authorization"));
    case "gitlab":
      return signed.headers.has("webhook-signature")
        ? await refuseForgedStandard(secrets, signed, nowS)
        : await refuseWrongToken(secrets, signed.headers.get("x-gitlab-token"));
  }
}

/** A signature of the body in hex. Gitea sends an empty one if its webhook has no secret. */
async function refuseForgedHex(
  secrets: readonly string[],
  { body }: Signed,
  signature: string | null,
  prefix: string,
): Promise<ForgedReason | null> {
  if (signature === null || signature === "") return "no_signature";
  const hex = signature.startsWith(prefix) ? signature.slice(prefix.length) : "";
  if (!/^[0-9a-f]{64}$/i.test(hex)) return "bad_signature";
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey("raw", bytesOf(secret), HMAC, false, ["verify"]);
    if (await crypto.subtle.verify(HMAC, key, bytes, body)) return null;
  }
  return "bad_signature";
}

async function refuseForgedStandard(
  secrets: readonly string[],
  { headers, body }: Signed,
  nowS: number,
): Promise<ForgedReason | null> {
  const timestamp = headers.get("webhook-timestamp");
  const given = { id: headers.get("webhook-id"), timestamp, signature: headers.get("webhook-signature") };
  const keys = secrets.filter((secret) => SIGNING_TOKEN.test(secret));
  if (await isSigned(keys, given, body, nowS)) return null;
  return Math.abs(Number(timestamp) - nowS) > TOLERANCE_S ? "too_old" : "bad_signature";
}

/** Registries sign nothing: their configuration has a header, which is sent with each delivery. */
async function refuseWrongBearer(
  secrets: readonly string[],
  authorization: string | null,
): Promise<ForgedReason | null> {
  if (authorization === null || authorization === "") return "no_signature";
  const token = /^Bearer ([!-~]+)$/i.exec(authorization)?.[1];
  return token === undefined ? "bad_signature" : await refuseWrongToken(secrets, token);
}

/** GitLab's older form, and the form of registries: the secret itself. Hashes are compared, so that the time tells nothing about the secret. */
async function refuseWrongToken(
  secrets: readonly string[],
  token: string | null,
): Promise<ForgedReason | null> {
  if (token === null || token === "") return "no_signature";
  const given = await sha256(token);
  for (const secret of secrets) if ((await sha256(secret)) === given) return null;
  return "bad_signature";
}
