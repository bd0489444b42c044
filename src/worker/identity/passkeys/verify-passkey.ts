import * as z from "zod/mini";

import type { NewPasskey, PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import {
  type Bytes,
  bytesOf,
  concatenate,
  fromBase64Url,
  sha256,
  toBase64Url,
  toHex,
} from "#sealing/bytes.ts";
import {
  importPasskeyKey,
  isSignedWith,
  type PasskeyKey,
  readPasskeyKey,
} from "#worker/identity/passkeys/passkey-key.ts";
import { isBytes, isMap, readCbor } from "#worker/identity/passkeys/read-cbor.ts";

// Source: WebAuthn Level 3, sections 7.1 (registration) and 7.2 (authentication). The attestation is `none`: a statement about
// the maker of the authenticator is neither asked for nor read.

/** A passkey as it is stored. `id`: base64url. */
export type Passkey = PasskeyKey & {
  readonly id: string;
  /** The authenticator's count of signatures; 0: it does not count. */
  readonly signCount: number;
  /** Whether its owner's devices may share it. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
};

/** What a ceremony was started with. `rpId`: the host name that passkeys belong to. `origin`: of the page. */
export type Ceremony = { readonly challenge: string; readonly origin: string; readonly rpId: string };

/** `problem`: a sentence. */
type Rejected = { readonly problem: string };

/** Verifies a new passkey. */
export async function verifyRegistration(
  { id, response }: NewPasskey,
  ceremony: Ceremony,
): Promise<ResultOf<Passkey, Rejected>> {
  const object = fromBase64Url(response.attestationObject);
  const attestation = object === null ? undefined : readCbor(object)?.value;
  const bytes = isMap(attestation) ? attestation.get("authData") : undefined;
  if (!isBytes(bytes)) return rejected("It has no authenticator data.");
  const data = readAuthenticatorData(bytes);
  if (data === null) return rejected("Its authenticator data is too short.");
  const problem = await problemOfCeremony("webauthn.create", response.clientDataJSON, data, ceremony);
  if (problem !== null) return rejected(problem);
  const credential = data.hasCredential ? readCredential(bytes) : null;
  if (credential === null) return rejected("It has no public key of a kind that is known here.");
  if (credential.id !== id) return rejected("Its id is not the id of its public key.");
  if ((await importPasskeyKey(credential.key)) === null) return rejected("Its public key is not valid.");
  const { signCount, isBackupEligible, isBackedUp } = data;
  return succeed({ id, ...credential.key, signCount, isBackupEligible, isBackedUp });
}

/** Verifies a signature with a passkey. @returns what has changed of the passkey */
export async function verifyAssertion(
  { id, response }: PasskeySignature,
  passkey: Passkey,
  ceremony: Ceremony,
): Promise<ResultOf<Pick<Passkey, "signCount" | "isBackedUp">, Rejected>> {
  const bytes = fromBase64Url(response.authenticatorData);
  const clientData = fromBase64Url(response.clientDataJSON);
  const signature = fromBase64Url(response.signature);
  const data = bytes === null ? null : readAuthenticatorData(bytes);
  if (id !== passkey.id) return rejected("It is another passkey.");
  if (bytes === null || clientData === null || signature === null || data === null)
    return rejected("It is not complete.");
  const problem = await problemOfCeremony("webauthn.get", response.clientDataJSON, data, ceremony);
  if (problem !== null) return rejected(problem);
  if (data.isBackupEligible !== passkey.isBackupEligible)
    return rejected("It can be shared between devices now, and could not before, or the other way round.");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", clientData));
  if (!(await isSignedWith(passkey, signature, concatenate(bytes, hash))))
    return rejected("Its signature is wrong.");
  // A passkey that devices share does not count.
  const isCounted = data.signCount > 0 || passkey.signCount > 0;
  if (isCounted && data.signCount <= passkey.signCount)
    return rejected("Its count of signatures did not rise, so there may be a copy of it.");
  return succeed({ signCount: data.signCount, isBackedUp: data.isBackedUp });
}

/** The challenge that a browser says it answers; null: it is not complete. It counts only after the verification. */
export function challengeIn({
  response: { clientDataJSON },
}: {
  readonly response: { readonly clientDataJSON: string };
}): string | null {
  return readClientData(clientDataJSON)?.challenge ?? null;
}

/** The parts of authenticator data. Source: WebAuthn Level 3, section 6.1. */
type AuthenticatorData = Pick<Passkey, "signCount" | "isBackupEligible" | "isBackedUp"> & {
  /** SHA-256 in hex of the host name that the passkey belongs to. */
  readonly rpIdHash: string;
  readonly isPresent: boolean;
  readonly isVerified: boolean;
  readonly hasCredential: boolean;
};

const HASH_BYTES = 32;
const FLAGS_AT = HASH_BYTES;
const COUNT_AT = FLAGS_AT + 1;
/** After the flags and the count: the kind of authenticator, which is not used, and the id with its length. */
const CREDENTIAL_AT = COUNT_AT + 4;
const ID_LENGTH_AT = CREDENTIAL_AT + 16;
const ID_AT = ID_LENGTH_AT + 2;
const MAX_ID_BYTES = 1_023;

function readAuthenticatorData(bytes: Bytes): AuthenticatorData | null {
  if (bytes.length < CREDENTIAL_AT) return null;
  const flags = bytes[FLAGS_AT] ?? 0;
  const has = (bit: number) => (flags & (1 << bit)) !== 0;
  return {
    rpIdHash: toHex(bytes.slice(0, HASH_BYTES)),
    isPresent: has(0),
    isVerified: has(2),
    isBackupEligible: has(3),
    isBackedUp: has(4),
    hasCredential: has(6),
    signCount: new DataView(bytes.buffer, bytes.byteOffset).getUint32(COUNT_AT),
  };
}

/** The id and the public key of a new passkey; null: there is none that is known here. */
function readCredential(bytes: Bytes): { readonly id: string; readonly key: PasskeyKey } | null {
  if (bytes.length < ID_AT) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint16(ID_LENGTH_AT);
  const end = ID_AT + length;
  if (length === 0 || length > MAX_ID_BYTES || bytes.length < end) return null;
  const cose = readCbor(bytes, end)?.value;
  const key = isMap(cose) ? readPasskeyKey(cose) : null;
  return key === null ? null : { id: toBase64Url(bytes.slice(ID_AT, end)), key };
}

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.optional(z.boolean()),
});

function readClientData(clientDataJson: string): z.infer<typeof ClientData> | null {
  const bytes = fromBase64Url(clientDataJson);
  return (
    ClientData.safeParse(bytes === null ? null : parseJson(new TextDecoder().decode(bytes))).data ?? null
  );
}

/** What is wrong with a ceremony, as a sentence; null: nothing. */
async function problemOfCeremony(
  type: string,
  clientDataJson: string,
  data: AuthenticatorData,
  { challenge, origin, rpId }: Ceremony,
): Promise<string | null> {
  const client = readClientData(clientDataJson);
  if (client === null) return "Its client data is not complete.";
  if (client.type !== type) return "It was made for something else.";
  if (client.challenge !== challenge) return "It answers another challenge.";
  if (client.origin !== origin) return `It was made on a page of ${client.origin}.`;
  if (client.crossOrigin === true) return "It was made in a frame of another page.";
  if (data.rpIdHash !== (await sha256(bytesOf(rpId)))) return "It belongs to another host name.";
  if (!data.isPresent) return "Nobody touched the authenticator.";
  if (!data.isVerified)
    return "The authenticator has not checked whose it is: by a PIN, a fingerprint or a face.";
  if (data.isBackedUp && !data.isBackupEligible) return "It says that it is shared, and that it cannot be.";
  return null;
}

function rejected(problem: string): { readonly ok: false } & Rejected {
  return { ok: false, problem };
}
