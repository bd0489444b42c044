import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { describe, expect, it } from "vitest";

import { type Bytes, bytesOf, concatenate } from "#sealing/bytes.ts";
import { aes128Gcm, generateKeyPair, open, seal } from "#sealing/hpke.ts";

const hex = (text: string): Bytes => concatenate(Uint8Array.from(Buffer.from(text, "hex")));

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

describe("HPKE", () => {
  it("seals and opens the test vector of RFC 9180", async () => {
    const { info, aad, ephemeral, receiver, ciphertext } = vector;
    const box = await seal(receiver.publicKey, { info, aad }, vector.message, { ephemeral, aead: aes128Gcm });
    expect(box).toEqual(concatenate(ephemeral.publicKey, ciphertext));
    expect(await open(receiver, { info, aad }, box, aes128Gcm)).toEqual(vector.message);
  });

  it.each([
    ["an empty message", new Uint8Array(0)],
    ["a message of 32 KiB", new Uint8Array(32 * 1024).fill(7)],
  ])("opens what it sealed: %s", async (_name, bytes) => {
    const keys = await generateKeyPair();
    const box = await seal(keys.publicKey, context, bytes);
    expect(box.length).toBe(bytes.length + 48);
    expect(await open(keys, context, box)).toEqual(bytes);
  });

  it("seals the same message differently each time", async () => {
    const { publicKey } = await generateKeyPair();
    expect(await seal(publicKey, context, message)).not.toEqual(await seal(publicKey, context, message));
  });

  it("does not open a box with another key, another context, a changed byte or a missing end", async () => {
    const keys = await generateKeyPair();
    const box = await seal(keys.publicKey, context, message);
    expect(await open(await generateKeyPair(), context, box)).toBeNull();
    expect(await open(keys, { ...context, aad: bytesOf("bad") }, box)).toBeNull();
    expect(await open(keys, { ...context, info: bytesOf("bad") }, box)).toBeNull();
    for (const at of [0, 31, 32, box.length - 1]) {
      const changed = box.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await open(keys, context, changed)).toBeNull();
    }
    for (const length of [0, 31, 32, 47, box.length - 1])
      expect(await open(keys, context, box.slice(0, length))).toBeNull();
  });

  it("refuses a public key that gives every sender the same secret", async () => {
    await expect(seal(new Uint8Array(32), context, message)).rejects.toThrow();
  });
});

describe("HPKE and another implementation", () => {
  const suite = new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });

  it("open each other's boxes", async () => {
    const { info, aad } = context;
    const keys = await generateKeyPair();
    const theirs = await suite.seal(
      { recipientPublicKey: await suite.kem.deserializePublicKey(keys.publicKey.buffer), info },
      message,
      aad,
    );
    const box = concatenate(new Uint8Array(theirs.enc), new Uint8Array(theirs.ct));
    expect(await open(keys, context, box)).toEqual(message);

    const receiver = await suite.kem.generateKeyPair();
    const publicKey = new Uint8Array(await suite.kem.serializePublicKey(receiver.publicKey));
    const ours = await seal(publicKey, context, message);
    const opened = await suite.open(
      { recipientKey: receiver.privateKey, enc: ours.slice(0, 32), info },
      ours.slice(32),
      aad,
    );
    expect(new Uint8Array(opened)).toEqual(message);
  });
});
