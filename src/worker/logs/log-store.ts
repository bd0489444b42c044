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

/** Deployment logs in R2: NDJSON, in parts while the deployment runs, one object once it has ended. */
export class LogStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** A part that is written again takes the place of what was there. */
  async putPart(owner: LogOwner, firstLine: number, ndjson: string): Promise<void> {
    await this.#bucket.put(partKey(owner, firstLine), ndjson);
  }

  async getPart(owner: LogOwner, firstLine: number): Promise<Uint8Array | null> {
    const object = await this.#bucket.get(partKey(owner, firstLine));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  /**
   * Makes the one whole object of its parts, which stay, so that a reader always finds the one or the other.
   * Holds no more than some 6 MiB in memory, however long the log.
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
      if (part === null) throw new Error(`the log of ${owner.deploymentId} lacks its part ${firstLine}`);
      yield part;
    }
  }

  /** Makes the whole object of a log that never had a part. */
  async putWhole(owner: LogOwner, chunks: readonly (Stretch & { readonly ndjson: string })[]): Promise<void> {
    const ndjson = chunks.map((chunk) => chunk.ndjson).join("");
    await this.#bucket.put(wholeKey(owner), ndjson, optionsFor(chunks));
  }

  async hasWhole(owner: LogOwner): Promise<boolean> {
    return (await this.#bucket.head(wholeKey(owner))) !== null;
  }

  /** Gives up an upload of the whole object that was cut off; nothing happens where it is over. */
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
   * The finished log from some line at or before `fromLine` on, as NDJSON cut anywhere; null while it has not been
   * finished. Read window by window, each to its end, as the caller asks for more: one round trip for a usual log.
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

  /** Removes everything of a log; nothing happens where nothing is. */
  async deleteAll(owner: LogOwner): Promise<void> {
    await this.#deleteUnder(prefixOf(owner));
  }

  /** Removes the logs of all of a project's deployments. */
  async deleteProject(owner: Omit<LogOwner, "deploymentId">): Promise<void> {
    await this.#deleteUnder(projectPrefixOf(owner));
  }

  /**
   * Some of the stored logs, of all accounts, in the order of their keys, each log whole. One R2 call.
   * @param after the key after which to begin; null: at the beginning
   * @param limit how many objects, 1,000 at most
   */
  async list(after: string | null, limit: number): Promise<FoundLogs> {
    const { objects, truncated } = await this.#bucket.list({
      prefix: LOGS_PREFIX,
      limit,
      ...(after === null ? {} : { startAfter: after }),
    });
    return foundLogs(objects, truncated);
  }

  /** Removes objects, a page of them at most; nothing happens where one is not there. One R2 call, or none. */
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
