import type { webcrypto } from "node:crypto";

import { concatenate, bytesOf, type Bytes, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import type { NewPasskey, PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";

/** What a passkey signs or registers for. The same as the Worker's, which tests in Node cannot import. */
type Ceremony = { readonly challenge: string; readonly origin: string; readonly rpId: string };

/** As COSE numbers them: ES256, Ed25519 and RS256. */
type PasskeyAlgorithm = keyof typeof parameters;

type Encodable = number | string | Bytes | ReadonlyMap<number | string, Encodable>;

/** Writes CBOR, as authenticators do. */
export function writeCbor(value: Encodable): Bytes {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return concatenate(head(3, bytesOf(value).length), bytesOf(value));
  if (value instanceof Uint8Array) return concatenate(head(2, value.length), value);
  const items = [...value].flatMap(([key, one]) => [writeCbor(key), writeCbor(one)]);
  return concatenate(head(5, value.size), ...items);
}

function head(kind: number, argument: number): Bytes {
  const first = kind << 5;
  if (argument < 24) return new Uint8Array([first + argument]);
  if (argument < 256) return new Uint8Array([first + 24, argument]);
  return new Uint8Array([first + 25, argument >> 8, argument & 255]);
}

const parameters = {
  [-7]: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  [-8]: { name: "Ed25519" },
  [-257]: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

/** What an authenticator says besides its signature. `flags`: as WebAuthn numbers the bits. */
type Said = {
  readonly flags?: number;
  readonly signCount?: number;
  readonly clientData?: object;
  readonly rpId?: string;
};

const PRESENT = 1;
const VERIFIED = 4;
const CREDENTIAL = 64;

/** A passkey of a person, made and used by software. */
export class Authenticator {
  readonly id = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  readonly #algorithm: PasskeyAlgorithm;
  readonly #pair: webcrypto.CryptoKeyPair;

  private constructor(algorithm: PasskeyAlgorithm, pair: webcrypto.CryptoKeyPair) {
    this.#algorithm = algorithm;
    this.#pair = pair;
  }

  static async create(algorithm: PasskeyAlgorithm = -7): Promise<Authenticator> {
    const pair = await crypto.subtle.generateKey(parameters[algorithm], true, ["sign", "verify"]);
    if (!("privateKey" in pair)) throw new Error("the key has two halves");
    return new Authenticator(algorithm, pair);
  }

  /** Registers the passkey. */
  async register(ceremony: Ceremony, said: Said = {}): Promise<NewPasskey & { response: object }> {
    const { flags = PRESENT | VERIFIED | CREDENTIAL, signCount = 0 } = said;
    const id = fromBase64Url(this.id) ?? new Uint8Array();
    const credential = concatenate(
      new Uint8Array(16),
      new Uint8Array([id.length >> 8, id.length & 255]),
      id,
      writeCbor(await this.#coseKey()),
    );
    const data = concatenate(
      await authenticatorData(said.rpId ?? ceremony.rpId, flags, signCount),
      credential,
    );
    const attestation = new Map<string, Encodable>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", data],
    ]);
    return {
      id: this.id,
      response: {
        clientDataJSON: toBase64Url(clientData("webauthn.create", ceremony, said.clientData)),
        attestationObject: toBase64Url(writeCbor(attestation)),
      },
    };
  }

  /** Signs with the passkey. */
  async sign(ceremony: Ceremony, said: Said = {}): Promise<PasskeySignature> {
    const { flags = PRESENT | VERIFIED, signCount = 0 } = said;
    const data = await authenticatorData(said.rpId ?? ceremony.rpId, flags, signCount);
    const client = clientData("webauthn.get", ceremony, said.clientData);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", client));
    const signed = concatenate(data, hash);
    const raw = new Uint8Array(
      await crypto.subtle.sign(parameters[this.#algorithm], this.#pair.privateKey, signed),
    );
    return {
      id: this.id,
      response: {
        clientDataJSON: toBase64Url(client),
        authenticatorData: toBase64Url(data),
        signature: toBase64Url(this.#algorithm === -7 ? derOf(raw) : raw),
      },
    };
  }

  async #coseKey(): Promise<ReadonlyMap<number, Encodable>> {
    const jwk = await crypto.subtle.exportKey("jwk", this.#pair.publicKey);
    if (jwk instanceof ArrayBuffer) throw new Error("a JWK is an object");
    const part = (text: string | undefined) => fromBase64Url(text ?? "") ?? new Uint8Array();
    switch (this.#algorithm) {
      case -7:
        return new Map<number, Encodable>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, part(jwk.x)],
          [-3, part(jwk.y)],
        ]);
      case -8:
        return new Map<number, Encodable>([
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, part(jwk.x)],
        ]);
      case -257:
        return new Map<number, Encodable>([
          [1, 3],
          [3, -257],
          [-1, part(jwk.n)],
          [-2, part(jwk.e)],
        ]);
    }
  }
}

async function authenticatorData(rpId: string, flags: number, signCount: number): Promise<Bytes> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(rpId)));
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, signCount);
  return concatenate(hash, new Uint8Array([flags]), count);
}

function clientData(type: string, { challenge, origin }: Ceremony, more: object = {}): Bytes {
  return bytesOf(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
}

/** An ECDSA signature in DER, as authenticators send it. */
export function derOf(raw: Bytes): Bytes {
  const number = (bytes: Bytes): Bytes => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = bytes.slice(first === -1 ? bytes.length - 1 : first);
    const padded = (digits[0] ?? 0) > 127 ? concatenate(new Uint8Array([0]), digits) : digits;
    return concatenate(new Uint8Array([2, padded.length]), padded);
  };
  const numbers = concatenate(number(raw.slice(0, 32)), number(raw.slice(32)));
  return concatenate(new Uint8Array([0x30, numbers.length]), numbers);
}
