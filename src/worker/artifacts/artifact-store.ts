import * as z from "zod/mini";

import { ArtifactDigest } from "#contract/artifact.ts";
import { ProjectId } from "#contract/ids.ts";
import type { QuotaPart } from "#domain/lane/artifact-quota.ts";

/** A build of a project. */
export type StoredArtifact = { readonly projectId: ProjectId; readonly sha256: ArtifactDigest };

const ARTIFACTS_PREFIX = "artifacts/";

const projectPrefixOf = (projectId: ProjectId) => `${ARTIFACTS_PREFIX}${projectId}/`;
const prefixOf = ({ projectId, sha256 }: StoredArtifact) => `${projectPrefixOf(projectId)}${sha256}/`;
const keyOf = (artifact: StoredArtifact, part: number) => `${prefixOf(artifact)}${part}`;

const KeyPath = z.tuple([z.literal("artifacts"), ProjectId, ArtifactDigest, z.string()]);

/** A build that is stored, with the keys of its parts. `uploadedAt`: of its newest part, in Unix milliseconds. */
export type FoundArtifact = StoredArtifact & {
  readonly keys: readonly string[];
  readonly uploadedAt: number;
};

/**
 * Builds in R2, an object for each part. A part is written once: its name is the hash of all parts, so another content with
 * the same name is wrong.
 */
export class ArtifactStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Stores a part, unless it is stored already. Nothing is stored if the stream ends early or fails.
   * @param content a stream of known length, as the body of a request with Content-Length
   */
  async putPart(artifact: StoredArtifact, part: number, content: ReadableStream): Promise<void> {
    const onlyIf = new Headers({ "if-none-match": "*" });
    await this.#bucket.put(keyOf(artifact, part), content, { onlyIf });
  }

  /** The part as a stream, and its size in bytes; null: it is not stored. */
  async getPart(artifact: StoredArtifact, part: number): Promise<Pick<R2ObjectBody, "body" | "size"> | null> {
    return await this.#bucket.get(keyOf(artifact, part));
  }

  /** The sizes of the stored parts, by their numbers, in bytes. One R2 call. */
  async sizes(artifact: StoredArtifact): Promise<ReadonlyMap<number, number>> {
    const prefix = prefixOf(artifact);
    const { objects } = await this.#bucket.list({ prefix });
    return new Map(objects.map(({ key, size }) => [Number(key.slice(prefix.length)), size]));
  }

  /** All parts of the builds of a project. One R2 call for each 1,000. */
  async listProject(projectId: ProjectId): Promise<QuotaPart[]> {
    const prefix = projectPrefixOf(projectId);
    const parts: QuotaPart[] = [];
    let from: string | null = null;
    for (;;) {
      const listed: R2Objects = await this.#bucket.list({
        prefix,
        ...(from === null ? {} : { cursor: from }),
      });
      parts.push(...listed.objects.flatMap(({ key, size }) => storedPart(key, size)));
      if (!listed.truncated) return parts;
      from = listed.cursor;
    }
  }

  /** Deletes a build. Missing parts are ignored. One R2 call. */
  async delete(artifact: StoredArtifact, parts: number): Promise<void> {
    await this.#bucket.delete(Array.from({ length: parts }, (_, at) => keyOf(artifact, at + 1)));
  }

  /** Deletes all builds of a project. */
  async deleteProject(projectId: ProjectId): Promise<void> {
    for (;;) {
      const { objects } = await this.#bucket.list({ prefix: projectPrefixOf(projectId) });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map(({ key }) => key));
    }
  }

  /** Deletes objects, at most 1,000. One R2 call, or none. */
  async deleteObjects(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#bucket.delete([...keys]);
  }

  /**
   * Lists stored builds of all projects, sorted by key, only complete ones. One R2 call.
   * @param after the key after which to begin; null: from the start
   * @param limit how many objects to list, at most 1,000 and more than a build has parts
   */
  async list(
    after: string | null,
    limit: number,
  ): Promise<{ readonly artifacts: readonly FoundArtifact[]; readonly next: string | null }> {
    const { objects, truncated } = await this.#bucket.list({
      prefix: ARTIFACTS_PREFIX,
      limit,
      ...(after === null ? {} : { startAfter: after }),
    });
    const groups = [...Map.groupBy(objects, ({ key }) => key.slice(0, key.lastIndexOf("/"))).values()];
    // The list may end within the last build.
    const complete = truncated && groups.length > 1 ? groups.slice(0, -1) : groups;
    return {
      artifacts: complete.flatMap(foundArtifact),
      next: truncated ? (complete.at(-1)?.at(-1)?.key ?? null) : null,
    };
  }
}

function storedPart(key: string, bytes: number): QuotaPart[] {
  const path = KeyPath.safeParse(key.split("/"));
  if (!path.success) return [];
  const [, , sha256, part] = path.data;
  return [{ sha256, part: Number(part), bytes }];
}

function foundArtifact(objects: readonly R2Object[]): FoundArtifact[] {
  const path = KeyPath.safeParse(objects[0]?.key.split("/"));
  if (!path.success) return [];
  const [, projectId, sha256] = path.data;
  const keys = objects.map(({ key }) => key);
  return [{ projectId, sha256, keys, uploadedAt: Math.max(...objects.map((one) => one.uploaded.getTime())) }];
}
