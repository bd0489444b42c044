import * as z from "zod/mini";

import { fromBase64, toBase64 } from "#sealing/bytes.ts";
import { storedAs } from "#contract/stored.ts";

/** A stored response, for retries. */
const StoredAnswer = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type StoredAnswer = z.infer<typeof StoredAnswer>;
const storedAnswer = storedAs(StoredAnswer);

/**
 * Encrypts stored responses. A response may contain a secret, which must not be readable in the database. The key is
 * derived from the bearer secret, and the database has only a hash of that. Source: RFC 5869 for HKDF; NIST SP 800-38D
 * for AES-GCM with 96 random bits.
 */
export class AnswerSeal {
  readonly #secret: string;
  readonly #purpose: string;

  /** @param purpose names the kind of text; each kind has its own key */
  constructor(secret: string, purpose: string) {
    this.#secret = secret;
    this.#purpose = purpose;
  }

  async seal(answer: StoredAnswer, iv: Uint8Array<ArrayBuffer>): Promise<string> {
    const plain = new TextEncoder().encode(JSON.stringify(answer));
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await this.#key(), plain);
    return `${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
  }

  /** @returns the response; null if it was encrypted with another secret */
  async open(text: string): Promise<StoredAnswer | null> {
    const [iv = "", sealed = ""] = text.split(".");
    try {
      const key = await this.#key();
      const plain = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: fromBase64(iv) },
        key,
        fromBase64(sealed),
      );
      return storedAnswer.parse(JSON.parse(new TextDecoder().decode(plain)));
    } catch {
      return null;
    }
  }

  async #key(): Promise<CryptoKey> {
    const bits = await derivedBytes(this.#secret, this.#purpose, 32);
    return await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["encrypt", "decrypt"]);
  }
}

/** Derives `count` bytes (at most 8,160) from the secret. The same secret and purpose always give the same bytes. */
export async function derivedBytes(
  secret: string,
  purpose: string,
  count: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, count * 8));
}
