import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";

// The format of OpenSSH's private keys, without a passphrase. Source: PROTOCOL.key in OpenSSH.

const MAGIC = Buffer.from("openssh-key-v1\0");
const TYPE = "ssh-ed25519";
const BLOCK = 8;

/** A new ed25519 key. `privateKey` is the text of the file that `ssh -i` reads; `publicKey` is one line. */
export type KeyPair = { readonly privateKey: string; readonly publicKey: string };

/** @param comment names the key on the pages of git hosts: printable ASCII */
export function createKeyPair(comment: string): KeyPair {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { d, x } = privateKey.export({ format: "jwk" });
  const seed = Buffer.from(d ?? "", "base64url");
  const point = Buffer.from(x ?? "", "base64url");
  const publicBlob = joined(text(TYPE), text(point));
  // The same number twice: a wrong passphrase would not decrypt to that.
  const check = randomBytes(4);
  const secret = joined(check, check, text(TYPE), text(point), text(joined(seed, point)), text(comment));
  const padding = Buffer.from(
    Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, at) => at + 1),
  );
  const whole = joined(
    MAGIC,
    text("none"),
    text("none"),
    text(""),
    number(1),
    text(publicBlob),
    text(joined(secret, padding)),
  );
  const lines = whole.toString("base64").match(/.{1,70}/g) ?? [];
  return {
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join("\n")}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${TYPE} ${publicBlob.toString("base64")} ${comment}`,
  };
}

/** Reads the public key, with its comment, from a private key that `createKeyPair` made. `null`: it is no such key. */
export function publicKeyOf(privateKey: string): string | null {
  const match = /^-----BEGIN OPENSSH PRIVATE KEY-----\n([\w+/=\n]+)-----END/.exec(privateKey);
  if (match?.[1] === undefined) return null;
  const read = readerOf(Buffer.from(match[1], "base64"));
  try {
    if (!read.bytes(MAGIC.length).equals(MAGIC)) return null;
    for (const value of ["none", "none", ""]) if (read.text().toString() !== value) return null;
    if (read.number() !== 1) return null;
    const publicBlob = read.text();
    const secret = readerOf(read.text());
    if (!secret.bytes(4).equals(secret.bytes(4))) return null;
    if (secret.text().toString() !== TYPE) return null;
    const point = secret.text();
    if (!publicBlob.equals(joined(text(TYPE), text(point)))) return null;
    if (!secret.text().subarray(32).equals(point)) return null;
    return `${TYPE} ${publicBlob.toString("base64")} ${secret.text().toString()}`;
  } catch {
    // Cut off: a read behind the end.
    return null;
  }
}

/** The fingerprint that `ssh-keygen -l` prints. @param blob the key in base64, the second word of a public key */
export function fingerprintOf(blob: string): string {
  const hash = createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64");
  return `SHA256:${hash.replace(/=+$/, "")}`;
}

function readerOf(buffer: Buffer) {
  let at = 0;
  const bytes = (count: number): Buffer => {
    if (at + count > buffer.length) throw new RangeError("the key is cut off");
    return buffer.subarray(at, (at += count));
  };
  const readNumber = (): number => bytes(4).readUInt32BE();
  return { bytes, number: readNumber, text: () => bytes(readNumber()) };
}

function number(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function text(value: string | Buffer): Buffer {
  const buffer = Buffer.from(value);
  return joined(number(buffer.length), buffer);
}

function joined(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts);
}
