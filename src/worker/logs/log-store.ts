import * as z from "zod";

import type { AccountId, DeploymentId, ProjectId } from "#contract/ids.ts";

/** Whose log it is; the key of each of its objects begins with all three, so that one prefix finds them. */
export type LogOwner = { accountId: AccountId; projectId: ProjectId; deploymentId: DeploymentId };

/** Where some of a finished log's lines begin, so that a page far in is read from near its start. */
type LogIndex = readonly (readonly [line: number, byte: number])[];

const MAX_INDEX_ENTRIES = 60;

const WINDOW_BYTES = 256 * 1024;

const projectPrefixOf = ({ accountId, projectId }: Omit<LogOwner, "deploymentId">) =>
  `logs/${accountId}/${projectId}/`;
const prefixOf = (owner: LogOwner) => `${projectPrefixOf(owner)}${owner.deploymentId}/`;
const partKey = (owner: LogOwner, firstLine: number) =>
  `${prefixOf(owner)}part-${String(firstLine).padStart(9, "0")}`;
const wholeKey = (owner: LogOwner) => `${prefixOf(owner)}log.ndjson`;

/** Deployment logs in R2: NDJSON, in parts while the deployment runs, one object once it has ended. */
export class LogStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Writing the same part again writes the same bytes. */
  async putPart(owner: LogOwner, firstLine: number, ndjson: string): Promise<void> {
    await this.#bucket.put(partKey(owner, firstLine), ndjson);
  }

  async getPart(owner: LogOwner, firstLine: number): Promise<string | null> {
    const object = await this.#bucket.get(partKey(owner, firstLine));
    return object === null ? null : await object.text();
  }

  /** Makes the one whole object. The parts go only afterwards, so that a reader always finds the one or the other. */
  async putWhole(owner: LogOwner, chunks: readonly string[]): Promise<void> {
    const ndjson = chunks.join("");
    await this.#bucket.put(wholeKey(owner), ndjson, {
      httpMetadata: { contentType: "application/x-ndjson" },
      customMetadata: { index: JSON.stringify(indexOf(ndjson)) },
    });
  }

  async hasWhole(owner: LogOwner): Promise<boolean> {
    return (await this.#bucket.head(wholeKey(owner))) !== null;
  }

  async deleteParts(owner: LogOwner, firstLines: readonly number[]): Promise<void> {
    if (firstLines.length > 0) await this.#bucket.delete(firstLines.map((line) => partKey(owner, line)));
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

  async #deleteUnder(prefix: string): Promise<void> {
    for (;;) {
      const { objects } = await this.#bucket.list({ prefix });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map((object) => object.key));
    }
  }
}

function indexOf(ndjson: string): LogIndex {
  const bytes = new TextEncoder().encode(ndjson);
  const starts: number[] = [0];
  for (let at = 0; at < bytes.length - 1; at += 1) if (bytes[at] === 0x0a) starts.push(at + 1);
  const stride = Math.max(1, Math.ceil(starts.length / MAX_INDEX_ENTRIES));
  return starts.flatMap((byte, line) => (line % stride === 0 ? [[line + 1, byte] as const] : []));
}

const StoredIndex = z.array(z.tuple([z.int(), z.int()]));

function offsetBefore(index: string | undefined, line: number): number {
  const entries = index === undefined ? [] : StoredIndex.parse(JSON.parse(index));
  return entries.findLast(([firstLine]) => firstLine <= line)?.[1] ?? 0;
}
