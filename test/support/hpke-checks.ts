import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";

import { type Bytes, bytesOf, concatenate } from "#sealing/bytes.ts";
import { aes128Gcm, generateKeyPair, open, seal } from "#sealing/hpke.ts";

const hex = (text: string): Bytes =>
  Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** RFC 9180, appendix A.1.1, sequence number 0. The RFC has no vector for X25519 with AES-256-GCM. */
const vector = {
  info: hex("4f6465206f6e2061204772656369616e2055726e"),
  ephemeral: {
    publicKey: hex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"),
    privateKey: hex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"),
  },
  receiver: {
    publicKey: hex("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"),
    privateKey: hex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"),
  },
  message: hex("4265617574792069732074727574682c20747275746820626561757479"),
  aad: hex("436f756e742d30"),
  ciphertext: hex(
    "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
  ),
};

const context = { info: bytesOf("info"), aad: bytesOf("aad") };
const message = bytesOf("correct horse battery staple");

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

const isSame = (one: Uint8Array | null, other: Uint8Array) =>
  one?.length === other.length && other.every((byte, at) => byte === one[at]);

/**
 * Checks HPKE in the runtime that calls it: each of them has a WebCrypto of its own.
 * @returns which checks passed, by name
 */
export async function checkHpke(): Promise<Record<string, boolean>> {
  const { info, aad, ephemeral, receiver, ciphertext } = vector;
  const ofRfc = concatenate(ephemeral.publicKey, ciphertext);
  const sealed = await seal(receiver.publicKey, { info, aad }, vector.message, {
    ephemeral,
    aead: aes128Gcm,
  });

  const ours = await generateKeyPair();
  const theirs = await suite.kem.generateKeyPair();
  const recipientPublicKey = await suite.kem.deserializePublicKey(ours.publicKey.buffer);
  const fromThem = await suite.seal({ recipientPublicKey, info: context.info }, message, context.aad);
  const publicKey = new Uint8Array(await suite.kem.serializePublicKey(theirs.publicKey));
  const fromUs = await seal(publicKey, context, message);
  const openedByThem = await suite.open(
    { recipientKey: theirs.privateKey, enc: fromUs.slice(0, 32), info: context.info },
    fromUs.slice(32),
    context.aad,
  );
  const boxFromThem = concatenate(new Uint8Array(fromThem.enc), new Uint8Array(fromThem.ct));
  return {
    "seals the vector of RFC 9180": isSame(sealed, ofRfc),
    "opens the vector of RFC 9180": isSame(
      await open(receiver, { info, aad }, ofRfc, aes128Gcm),
      vector.message,
    ),
    "opens a box of @hpke/core": isSame(await open(ours, context, boxFromThem), message),
    "seals a box that @hpke/core opens": isSame(new Uint8Array(openedByThem), message),
    "refuses a box for other data":
      (await open(ours, { ...context, aad: bytesOf("other") }, boxFromThem)) === null,
  };
}

/** What `checkHpke` returns where everything works. */
export const allHpkeChecks = {
  "seals the vector of RFC 9180": true,
  "opens the vector of RFC 9180": true,
  "opens a box of @hpke/core": true,
  "seals a box that @hpke/core opens": true,
  "refuses a box for other data": true,
};
