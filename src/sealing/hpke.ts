import { type Bytes, bytesOf, concatenate } from "#sealing/bytes.ts";

/**
 * Hybrid public key encryption in base mode, for one message: RFC 9180 with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
 * AES-GCM, on WebCrypto alone. It runs in browsers, Workers and Node 20. Names in quotes are the RFC's.
 */

/** A key pair as raw bytes. RFC 9180 section 7.1.2 calls them serialized. */
export type KeyPair = { readonly publicKey: Bytes; readonly privateKey: Bytes };

/** What seals and opens one message besides the keys. `info` and `aad` are authenticated, not encrypted. */
export type SealContext = { readonly info: Bytes; readonly aad: Bytes };

/** An identifier of RFC 9180 section 7.3, and the length of its key ("Nk"). */
type Aead = { readonly id: number; readonly keyBytes: number };
const aes256Gcm: Aead = { id: 2, keyBytes: 32 };
/** For the test vectors of RFC 9180, which have none for AES-256 with X25519. */
export const aes128Gcm: Aead = { id: 1, keyBytes: 16 };

const X25519 = { name: "X25519" };
/** The lengths of "enc" and of a public key, and of the nonce and the hash, in bytes. */
const ENC_BYTES = 32;
const NONCE_BYTES = 12;
const HASH_BYTES = 32;

const VERSION = bytesOf("HPKE-v1");
const none = new Uint8Array(0);
const twoBytes = (value: number): Bytes => new Uint8Array([value >> 8, value & 0xff]);
const KEM_SUITE = concatenate(bytesOf("KEM"), twoBytes(0x20));
const suiteOf = ({ id }: Aead) => concatenate(bytesOf("HPKE"), twoBytes(0x20), twoBytes(1), twoBytes(id));

export async function generateKeyPair(): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey(X25519, true, ["deriveBits"]);
  if (!("publicKey" in pair)) throw new Error("X25519 makes a pair of keys");
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  return { publicKey, privateKey: pkcs8.slice(-32) };
}

/**
 * Seals a message for the holder of a public key.
 * @param ephemeral the sender's key pair, used for this message only; given by tests
 * @returns "enc" and the ciphertext, 48 bytes longer than the message
 * @throws if the public key is not a point of the curve
 */
export async function seal(
  publicKey: Bytes,
  { info, aad }: SealContext,
  message: Bytes,
  { ephemeral, aead = aes256Gcm }: { readonly ephemeral?: KeyPair; readonly aead?: Aead } = {},
): Promise<Bytes> {
  const own = ephemeral ?? (await generateKeyPair());
  const { key, nonce } = await keySchedule(own, publicKey, concatenate(own.publicKey, publicKey), info, aead);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: aad };
  const encryption = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const sealed = await crypto.subtle.encrypt(algorithm, encryption, message);
  return concatenate(own.publicKey, new Uint8Array(sealed));
}

/** @returns null if the box was sealed for another key or another context, or was changed */
export async function open(
  keys: KeyPair,
  { info, aad }: SealContext,
  box: Bytes,
  aead = aes256Gcm,
): Promise<Bytes | null> {
  const enc = box.slice(0, ENC_BYTES);
  try {
    const { key, nonce } = await keySchedule(keys, enc, concatenate(enc, keys.publicKey), info, aead);
    const algorithm = { name: "AES-GCM", iv: nonce, additionalData: aad };
    const decryption = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, decryption, box.slice(ENC_BYTES)));
  } catch {
    return null;
  }
}

/** "Encap" or "Decap" of section 4.1, and "KeySchedule" of section 5.1 in base mode. */
async function keySchedule(own: KeyPair, other: Bytes, kemContext: Bytes, info: Bytes, aead: Aead) {
  const suite = suiteOf(aead);
  const shared = await exchange(own, other);
  const prk = await labeledExtract(KEM_SUITE, none, "eae_prk", shared);
  const secretOfKem = await labeledExpand(KEM_SUITE, prk, "shared_secret", kemContext, HASH_BYTES);
  const context = concatenate(
    new Uint8Array([0]),
    await labeledExtract(suite, none, "psk_id_hash", none),
    await labeledExtract(suite, none, "info_hash", info),
  );
  const secret = await labeledExtract(suite, secretOfKem, "secret", none);
  return {
    key: await labeledExpand(suite, secret, "key", context, aead.keyBytes),
    nonce: await labeledExpand(suite, secret, "base_nonce", context, NONCE_BYTES),
  };
}

/** The X25519 of two keys. WebCrypto refuses a result of zeros, as section 7.1.4 demands. */
async function exchange({ publicKey, privateKey }: KeyPair, other: Bytes): Promise<Bytes> {
  // WebCrypto has no raw form of private keys. Source of the prefix: RFC 8410 section 7, for X25519.
  const pkcs8 = concatenate(PKCS8_PREFIX, privateKey);
  if (publicKey.length !== ENC_BYTES) throw new Error("a public key has 32 bytes");
  const own = await crypto.subtle.importKey("pkcs8", pkcs8, X25519, false, ["deriveBits"]);
  const peer = await crypto.subtle.importKey("raw", other, X25519, true, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: peer }, own, 256));
}
const PKCS8_PREFIX = new Uint8Array([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32]);

/** "LabeledExtract" of section 4: HKDF-Extract, which is one HMAC (RFC 5869 section 2.2). */
async function labeledExtract(suite: Bytes, salt: Bytes, label: string, ikm: Bytes): Promise<Bytes> {
  return hmac(salt, concatenate(VERSION, suite, bytesOf(label), ikm));
}

/** "LabeledExpand" of section 4. No result here is longer than one block of HKDF-Expand (RFC 5869 section 2.3). */
async function labeledExpand(suite: Bytes, prk: Bytes, label: string, info: Bytes, length: number) {
  const labeled = concatenate(twoBytes(length), VERSION, suite, bytesOf(label), info);
  return (await hmac(prk, concatenate(labeled, new Uint8Array([1])))).slice(0, length);
}

async function hmac(key: Bytes, data: Bytes): Promise<Bytes> {
  // WebCrypto refuses an empty key. HMAC pads a key with zeros, so a key of zeros is the same.
  const bytes = key.length === 0 ? new Uint8Array(HASH_BYTES) : key;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}
