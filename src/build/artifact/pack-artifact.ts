import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { type ArtifactProblem, problemOf } from "#build/artifact/artifact-error.ts";
import { type ByteText, byteTextOf } from "#build/artifact/byte-text.ts";
import { createCompressor } from "#build/artifact/compression.ts";
import { type ContentSearch, createContentSearch } from "#build/artifact/content-search.ts";
import { FILES, MANIFEST, type Manifest, MENTIONS } from "#build/artifact/manifest.ts";
import { type SealedParts, type SealOptions, sealParts } from "#build/artifact/sealed-parts.ts";
import { surveyTree, type TreeSurvey } from "#build/artifact/survey-tree.ts";
import { endOfArchive } from "#build/artifact/tar/header.ts";
import { textEntry, treeEntries } from "#build/artifact/tar/tree-entries.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** What to pack, and what to record about it. */
export type PackOptions = SealOptions & {
  /** The absolute path of the folder to pack. */
  readonly root: string;
  /** Paths that are left out with all below them, relative to the folder. `.git` is left out anyway. */
  readonly leavesOut: (path: ByteText) => boolean;
  readonly commit: Manifest["commit"];
  /** What the server that takes it should know about the release; null: it decides from the files. */
  readonly release: unknown;
  /**
   * The absolute path of the agent's home folder, in which `root` and the machine's own tools are. null: the folder was not built
   * where it is, so nothing depends on its path.
   */
  readonly home: string | null;
  /** Called now and then with how many bytes of the files are packed. */
  readonly onProgress: (progress: { readonly done: number; readonly all: number }) => void;
};

/**
 * `hasPrograms`: some of the files are programs or libraries of a platform. `dependsOnHome`: some need the same path of `home` on
 * another machine.
 */
export type Packed = SealedParts & {
  readonly files: number;
  readonly unpackedBytes: number;
  readonly hasPrograms: boolean;
  readonly dependsOnHome: boolean;
};

/**
 * Packs a folder into encrypted parts: tar, compressed, encrypted, without more in memory than a few files.
 * @returns a problem if the folder has something that cannot be packed, or changed meanwhile
 * @throws the file system's error; the signal's reason
 */
export async function packArtifact(
  options: PackOptions,
): Promise<ResultOf<Packed, { readonly problem: ArtifactProblem }>> {
  const { root, leavesOut, signal, home } = options;
  try {
    const survey = await surveyTree({ root, signal, leavesOut: (path) => isGit(path) || leavesOut(path) });
    const search = createContentSearch(
      home === null ? null : { own: byteTextOf(root), home: byteTextOf(home) },
    );
    const archive = Readable.from(inBatches(archiveOf(survey, search, options)), { objectMode: false });
    let sealed: SealedParts | null = null;
    await pipeline(
      archive,
      createCompressor(),
      async (compressed: AsyncIterable<Buffer>) => {
        sealed = await sealParts(compressed, options);
      },
      { signal },
    );
    if (sealed === null) throw new Error("the archive has no end");
    const parts: SealedParts = sealed;
    const { hasPrograms } = search;
    const dependsOnHome = search.dependsOnHome || hasLinksTo(survey, root, home);
    const counts = { files: survey.entries.length, unpackedBytes: survey.bytes };
    return succeed({ ...parts, ...counts, hasPrograms, dependsOnHome });
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, problem: problemOf(error) };
  }
}

const isGit = (path: ByteText): boolean => path === ".git" || path.endsWith("/.git");

/** Whether there are links into `home` besides those to the folder itself, which are replaced when it is unpacked. */
function hasLinksTo({ entries }: TreeSurvey, root: string, home: string | null): boolean {
  if (home === null) return false;
  const isBelow = (target: ByteText, folder: string): boolean =>
    target === byteTextOf(folder) || target.startsWith(`${byteTextOf(folder)}/`);
  return entries.some(
    ({ kind, target }) => kind === "link" && isBelow(target, home) && !isBelow(target, root),
  );
}

async function* archiveOf(
  { entries, bytes, diskBytes }: TreeSurvey,
  search: ContentSearch,
  { root, signal, commit, release, home, onProgress }: PackOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const counts = { entries: entries.length, bytes, disk_bytes: diskBytes };
  const manifest: Manifest = { format: 1, ...counts, path: home === null ? null : root, commit, release };
  yield textEntry(MANIFEST, JSON.stringify(manifest));
  let done = 0;
  yield* treeEntries(entries, {
    ...{ root, prefix: FILES, signal },
    onContent(entry, content) {
      search.look(entry, content);
      if (content === null) return;
      done += content.length;
      onProgress({ done, all: bytes });
    },
  });
  yield textEntry(MENTIONS, JSON.stringify(search.mentions));
  yield endOfArchive();
}

const BATCH_BYTES = 64 * 1024;

/** Joins small pieces, because each costs the compressor as much as a large one. */
async function* inBatches(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < BATCH_BYTES) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}
