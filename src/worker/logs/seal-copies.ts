import * as z from "zod/mini";

import type { AuditSealCopy } from "#contract/endpoints/audit/schemas.ts";
import type { AccountId } from "#contract/ids.ts";
import type { SealWithText } from "#sealing/audit-chain.ts";
import { sha256 } from "#sealing/bytes.ts";
import type { Position } from "#worker/db/reads.ts";
import { timestamp } from "#worker/views/timestamp.ts";

// The number has leading zeros, because R2 lists objects by their names.
const DIGITS = 12;

/** The name of a copy: the seal's number, and its hash if the number had a copy before. */
export const CopyName = z.string().check(z.regex(/^\d{12}(-[0-9a-f]{64})?$/));
export type CopyName = z.infer<typeof CopyName>;

/**
 * The copies of an account's seals in R2. Nothing overwrites them. An object contains the text whose SHA-256 is the hash
 * of the seal.
 */
export class SealCopies {
  readonly #bucket: R2Bucket;
  readonly #prefix: string;

  constructor(bucket: R2Bucket, accountId: AccountId) {
    this.#bucket = bucket;
    this.#prefix = `seals/${accountId}/`;
  }

  /** Stores the first copy of a number. @returns false if there is one */
  async putNew({ seal, text }: SealWithText): Promise<boolean> {
    const onlyIf = { etagDoesNotMatch: "*" };
    return (await this.#bucket.put(this.#keyOf(nameOf(seal.number)), text, { onlyIf })) !== null;
  }

  /** Stores a further copy of a number. */
  async putOther({ seal, text }: SealWithText): Promise<void> {
    await this.#bucket.put(this.#keyOf(`${nameOf(seal.number)}-${seal.hash}`), text);
  }

  /** The text of the first copy of a number; null: there is none. */
  async textOf(number: number): Promise<string | null> {
    const object = await this.#bucket.get(this.#keyOf(nameOf(number)));
    return object === null ? null : await object.text();
  }

  /** The names of copies, in order. */
  async names({ after, limit }: Position<CopyName>): Promise<CopyName[]> {
    const found: CopyName[] = [];
    let startAfter = after === null ? this.#prefix : this.#keyOf(after);
    for (;;) {
      const page = await this.#bucket.list({ prefix: this.#prefix, limit: limit - found.length, startAfter });
      const keys = page.objects.map(({ key }) => key);
      // Other objects are skipped.
      const files = keys.map((key) => key.slice(this.#prefix.length));
      found.push(...files.flatMap((file) => CopyName.safeParse(nameIn(file)).data ?? []));
      startAfter = keys.at(-1) ?? startAfter;
      if (!page.truncated || found.length >= limit) return found;
    }
  }

  /** A copy, with the hash of the stored bytes; null: it does not exist. */
  async read(name: CopyName): Promise<AuditSealCopy | null> {
    const object = await this.#bucket.get(this.#keyOf(name));
    if (object === null) return null;
    return {
      number: Number(name.slice(0, DIGITS)),
      hash: await sha256(new Uint8Array(await object.arrayBuffer())),
      object: object.key,
      stored_at: timestamp(object.uploaded.getTime()),
    };
  }

  #keyOf(name: CopyName): string {
    return `${this.#prefix}${name}${ENDING}`;
  }
}

const ENDING = ".json";

const nameOf = (number: number): CopyName => `${number}`.padStart(DIGITS, "0");

const nameIn = (file: string): string => (file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : file);
