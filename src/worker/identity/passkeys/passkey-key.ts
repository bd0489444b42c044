import { type Bytes, toBase64Url } from "#sealing/bytes.ts";
import { type CborMap, isBytes } from "#worker/identity/passkeys/read-cbor.ts";

// Sources: RFC 9052 and 9053 (COSE keys and algorithms), RFC 8230 (RSA), WebAuthn Level 3 section 6.5.6 (signatures).

/** The algorithms of passkeys, as COSE numbers them: ES256, Ed25519 (EdDSA) and RS256. */
export type PasskeyAlgorithm = -7 | -8 | -257;

/** In the order in which a new passkey should use them. */
export const passkeyAlgorithms: readonly PasskeyAlgorithm[] = [-8, -7, -257];

/** The public key of a passkey, in a form that WebCrypto imports and D1 stores. */
export type PasskeyKey = {
  readonly algorithm: PasskeyAlgorithm;
  readonly jwk: Readonly<Record<string, string>>;
};

const parameters = {
  [-7]: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  [-8]: { name: "Ed25519" },
  [-257]: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const;

/** The labels of a COSE key. */
const TYPE = 1;
const ALGORITHM = 3;

/** Reads a COSE key. @returns null for a key of another kind */
export function readPasskeyKey(cose: CborMap): PasskeyKey | null {
  const bytes = (label: number): string | null => {
    const value = cose.get(label);
    return isBytes(value) ? toBase64Url(value) : null;
  };
  const [x, y] = [bytes(-2), bytes(-3)];
  const is = (type: number, algorithm: PasskeyAlgorithm) =>
    cose.get(TYPE) === type && cose.get(ALGORITHM) === algorithm;
  if (is(2, -7) && cose.get(-1) === 1 && x !== null && y !== null)
    return { algorithm: -7, jwk: { kty: "EC", crv: "P-256", x, y } };
  if (is(1, -8) && cose.get(-1) === 6 && x !== null)
    return { algorithm: -8, jwk: { kty: "OKP", crv: "Ed25519", x } };
  const modulus = cose.get(-1);
  if (is(3, -257) && isBytes(modulus) && isLongModulus(modulus) && x !== null)
    return { algorithm: -257, jwk: { kty: "RSA", n: toBase64Url(modulus), e: x } };
  return null;
}

/** Whether an RSA key has 2,048 to 4,096 bits. A reader of the database could find the private key of a short one. */
function isLongModulus(modulus: Bytes): boolean {
  return modulus.length >= 256 && modulus.length <= 512 && modulus[0] !== 0;
}

/** Imports a key. @returns null if it is not valid, such as a point that is not on the curve */
export async function importPasskeyKey({ algorithm, jwk }: PasskeyKey): Promise<CryptoKey | null> {
  try {
    return await crypto.subtle.importKey(
      "jwk",
      { ...jwk, kty: jwk["kty"] ?? "" },
      parameters[algorithm],
      false,
      ["verify"],
    );
  } catch {
    return null;
  }
}

/** Whether the owner of a key has signed these bytes. */
export async function isSignedWith(key: PasskeyKey, signature: Bytes, signed: Bytes): Promise<boolean> {
  const [imported, raw] = [
    await importPasskeyKey(key),
    key.algorithm === -7 ? rawFromDer(signature) : signature,
  ];
  if (imported === null || raw === null) return false;
  return await crypto.subtle.verify(parameters[key.algorithm], imported, raw, signed);
}

const INTEGER = 0x02;
const SEQUENCE = 0x30;
const COORDINATE_BYTES = 32;

/**
 * The two numbers of an ECDSA signature, of 32 bytes each. Authenticators sign in DER, which WebCrypto does not read.
 * @returns null if it is not DER
 */
function rawFromDer(der: Bytes): Bytes | null {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return null;
  const raw = new Uint8Array(2 * COORDINATE_BYTES);
  let at = 2;
  for (const end of [COORDINATE_BYTES, 2 * COORDINATE_BYTES]) {
    const length = der[at + 1] ?? 0;
    const number = der.slice(at + 2, at + 2 + length);
    // A number whose first bit is set has a zero byte before it.
    const digits = number[0] === 0 ? number.slice(1) : number;
    const isNumber = der[at] === INTEGER && number.length === length && length > 0;
    if (!isNumber || digits.length > COORDINATE_BYTES) return null;
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return at === der.length ? raw : null;
}
