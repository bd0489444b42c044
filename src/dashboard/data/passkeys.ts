import type { Failed } from "#client/answer.ts";
import type {
  NewPasskey,
  PasskeyChallenge,
  PasskeySignature,
} from "#contract/endpoints/sessions/passkeys.ts";
import { type Bytes, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import {
  creatingProblem,
  deviceName,
  passkeyObstacle,
  type PasskeyObstacle,
  signingProblem,
} from "#dashboard/text/passkey-texts.ts";

// The browser's passkeys. Bytes are converted here: Safari before 18.4 has no `toJSON` and `parseRequestOptionsFromJSON`.

/** A challenge counts for 5 minutes. */
const TIMEOUT_MS = 240_000;

type Answered<Value> = { readonly ok: true; readonly value: Value } | Failed;

/** What prevents passkeys on this page; null: nothing. */
export function obstacleHere(): PasskeyObstacle | null {
  return passkeyObstacle({
    address: location,
    hasPasskeys: typeof PublicKeyCredential === "function",
    isSecure: isSecureContext,
  });
}

/** A name for a passkey of this browser. */
export const nameOfThisDevice = (): string => deviceName(navigator.userAgent);

/** Asks the browser to answer a challenge with a passkey, to sign in or to confirm. */
export async function signWithPasskey(challenge: PasskeyChallenge): Promise<Answered<PasskeySignature>> {
  return await asking(signingProblem, async () => {
    const credential = await navigator.credentials.get({
      publicKey: {
        challenge: bytesIn(challenge.challenge),
        rpId: challenge.rp_id,
        allowCredentials: descriptors(challenge),
        userVerification: "required",
        timeout: TIMEOUT_MS,
      },
    });
    if (!(credential instanceof PublicKeyCredential)) return null;
    const { rawId, response } = credential;
    if (!(response instanceof AuthenticatorAssertionResponse)) return null;
    return {
      id: textOf(rawId),
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        authenticatorData: textOf(response.authenticatorData),
        signature: textOf(response.signature),
      },
    };
  });
}

/** Asks the browser to create a passkey. */
export async function createPasskey(challenge: PasskeyChallenge): Promise<Answered<NewPasskey>> {
  return await asking(creatingProblem, async () => {
    const { user } = challenge;
    if (user === null) return null;
    const credential = await navigator.credentials.create({
      publicKey: {
        challenge: bytesIn(challenge.challenge),
        rp: { id: challenge.rp_id, name: "Gantry" },
        user: { id: bytesIn(user.id), name: user.name, displayName: user.display_name },
        pubKeyCredParams: challenge.algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: descriptors(challenge),
        // Nobody types a user name to sign in, so the browser must find the passkey by itself.
        authenticatorSelection: {
          residentKey: "required",
          requireResidentKey: true,
          userVerification: "required",
        },
        attestation: "none",
        timeout: TIMEOUT_MS,
      },
    });
    if (!(credential instanceof PublicKeyCredential)) return null;
    const { rawId, response } = credential;
    if (!(response instanceof AuthenticatorAttestationResponse)) return null;
    return {
      id: textOf(rawId),
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        attestationObject: textOf(response.attestationObject),
      },
    };
  });
}

/** @param explain the sentence for an error by its name @param ask returns null if the browser gives something else */
async function asking<Value>(
  explain: (name: string, hostname: string) => string,
  ask: () => Promise<Value | null>,
): Promise<Answered<Value>> {
  const obstacle = obstacleHere();
  if (obstacle !== null) return failed(obstacle.text);
  try {
    const value = await ask();
    return value === null ? failed(explain("no passkey", location.hostname)) : { ok: true, value };
  } catch (error) {
    return failed(explain(error instanceof Error ? error.name : String(error), location.hostname));
  }
}

/** A problem of this browser, in the form of the API's. */
function failed(detail: string): Failed {
  const title = "Passkey not used";
  const problem = { type: "about:blank", title, status: 0, detail, code: "passkey_not_used", request_id: "" };
  return { ok: false, problem };
}

function descriptors({ credential_ids: ids }: PasskeyChallenge): PublicKeyCredentialDescriptor[] {
  return ids.map((id) => ({ type: "public-key", id: bytesIn(id) }));
}

/** @throws if the text is not base64url */
function bytesIn(text: string): Bytes {
  const bytes = fromBase64Url(text);
  if (bytes === null) throw new Error("the challenge is not base64url");
  return bytes;
}

const textOf = (bytes: ArrayBuffer) => toBase64Url(new Uint8Array(bytes));
