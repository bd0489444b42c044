import { type FoundLogs, foundLogs } from "#worker/logs/found-logs.ts";
import { indexOf, offsetBefore, type Stretch } from "#worker/logs/log-index.ts";
import {
  LOGS_PREFIX,
  type LogOwner,
  partKey,
  prefixOf,
  projectPrefixOf,
  wholeKey,
} from "#worker/logs/log-keys.ts";
import { putInPieces, type Upload } from "#worker/logs/put-in-pieces.ts";

const WINDOW_BYTES = 256 * 1024;

/** Deployment logs in R2 as NDJSON: parts while the deployment runs, one complete object after it has ended. */
export class LogStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Writes a part. Safe to repeat: it replaces the same part. */
  async putPart(owner: LogOwner, firstLine: number, ndjson: string): Promise<void> {
    await this.#bucket.put(partKey(owner, firstLine), ndjson);
  }

  async getPart(owner: LogOwner, firstLine: number): Promise<Uint8Array | null> {
    const object = await this.#bucket.get(partKey(owner, firstLine));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  /**
   * Joins the parts to the complete object. Does not delete the parts, so that a reader always finds the parts or the
   * object. Holds at most about 6 MiB in memory.
   */
  async putWholeOfParts(
    owner: LogOwner,
    parts: readonly Stretch[],
    upload: Pick<Upload, "note">,
  ): Promise<void> {
    await putInPieces(this.#bucket, this.#parts(owner, parts), {
      ...upload,
      key: wholeKey(owner),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      options: optionsFor(parts),
    });
  }

  async *#parts(owner: LogOwner, parts: readonly Stretch[]): AsyncGenerator<Uint8Array> {
    for (const { firstLine } of parts) {
      const part = await this.getPart(owner, firstLine);
      if (part === null) throw new Error(`the log of ${owner.deploymentId} has no part ${firstLine}`);
      yield part;
    }
  }

  /** Writes the complete object of a log without parts. */
  async putWhole(owner: LogOwner, chunks: readonly (Stretch & { readonly ndjson: string })[]): Promise<void> {
    const ndjson = chunks.map((chunk) => chunk.ndjson).join("");
    await this.#bucket.put(wholeKey(owner), ndjson, optionsFor(chunks));
  }

  async hasWhole(owner: LogOwner): Promise<boolean> {
    return (await this.#bucket.head(wholeKey(owner))) !== null;
  }

  /** Aborts an interrupted upload of the complete object. Does nothing if the upload has ended. */
  async abortUpload(owner: LogOwner, uploadId: string): Promise<void> {
    try {
      await this.#bucket.resumeMultipartUpload(wholeKey(owner), uploadId).abort();
    } catch (error) {
      // Source: R2's documentation, "Error codes": 10024 is NoSuchUpload.
      if (!(error instanceof Error && error.message.includes("10024"))) throw error;
    }
  }

  async deleteParts(owner: LogOwner, parts: readonly Stretch[]): Promise<void> {
    if (parts.length > 0) await this.#bucket.delete(parts.map(({ firstLine }) => partKey(owner, firstLine)));
  }

  /**
   * Reads the complete object as NDJSON chunks, which may split lines and may begin before `fromLine`.
   * Each chunk is one R2 read when the caller takes it; most logs fit into one. @returns null if there is no such object
   */
  async openWhole(owner: LogOwner, fromLine: number): Promise<AsyncGenerator<string> | null> {
    const key = wholeKey(owner);
    const offset = fromLine <= 1 ? 0 : await this.#offsetBefore(key, fromLine);
    const first =
      offset === null ? null : await this.#bucket.get(key, { range: { offset, length: WINDOW_BYTES } });
    return offset === null || first === null ? null : this.#windows(first, offset);
  }

  async *#windows(first: R2ObjectBody, offset: number): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let object: R2ObjectBody | null = first;
    for (let at = offset; object !== null;) {
      yield decoder.decode(await object.arrayBuffer(), { stream: true });
      at += WINDOW_BYTES;
      if (at >= object.size) return;
      object = await this.#bucket.get(object.key, { range: { offset: at, length: WINDOW_BYTES } });
    }
  }

  async #offsetBefore(key: string, line: number): Promise<number | null> {
    const head = await this.#bucket.head(key);
    return head === null ? null : offsetBefore(head.customMetadata?.["index"], line);
  }

  /** Deletes all objects of a log. */
  async deleteAll(owner: LogOwner): Promise<void> {
    await this.#deleteUnder(prefixOf(owner));
  }

  /** Deletes the logs of all deployments of a project. */
  async deleteProject(owner: Omit<LogOwner, "deploymentId">): Promise<void> {
    await this.#deleteUnder(projectPrefixOf(owner));
  }

  /**
   * Lists stored logs of all accounts, sorted by key, only complete groups of objects. One R2 call.
   * @param after the key after which to begin; null: from the start
   * @param limit how many objects to list, at most 1,000
   */
  async list(after: string | null, limit: number): Promise<FoundLogs> {
    const { objects, truncated } = await this.#bucket.list({
      prefix: LOGS_PREFIX,
      limit,
      ...(after === null ? {} : { startAfter: after }),
    });
    return foundLogs(objects, truncated);
  }

  /** Deletes the complete objects of at most 1,000 logs. */
  async deleteWhole(owners: readonly LogOwner[]): Promise<void> {
    await this.deleteObjects(owners.map(wholeKey));
  }

  /** Deletes at most 1,000 objects. Missing objects are ignored. One R2 call, or none. */
  async deleteObjects(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#bucket.delete([...keys]);
  }

  async #deleteUnder(prefix: string): Promise<void> {
    for (;;) {
      const { objects } = await this.#bucket.list({ prefix });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map((object) => object.key));
    }
  }
}

const optionsFor = (stretches: readonly Stretch[]) => ({
  httpMetadata: { contentType: "application/x-ndjson" },
  customMetadata: { index: indexOf(stretches) },
});
