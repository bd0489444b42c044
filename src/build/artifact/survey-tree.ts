import { type BigIntStats, constants } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";

import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, byteTextOf, fromBytes, shown, toBytes } from "#build/artifact/byte-text.ts";
import { createTreeCount, LONGEST_PATH, PERMISSIONS } from "#build/artifact/limits.ts";
import { hasCode } from "#node/has-code.ts";

/** A file, folder or link of a tree. `path`: relative to the tree. `target`: of a link; of a hard link, an earlier path. */
export type TreeEntry = {
  readonly path: ByteText;
  readonly kind: "file" | "folder" | "link" | "hard_link";
  readonly mode: number;
  readonly size: number;
  /** In seconds. */
  readonly mtime: number;
  readonly target: ByteText;
};

/** What a tree has. `bytes`: of all files, each once. `diskBytes`: what they take, which is less if they have holes. */
export type TreeSurvey = {
  readonly entries: readonly TreeEntry[];
  readonly bytes: number;
  readonly diskBytes: number;
};

/** Which tree to list. */
export type SurveyOptions = {
  /** The folder, absolute. A link in its place is followed. */
  readonly root: string;
  /** Paths that are left out with all below them. */
  readonly leavesOut: (path: ByteText) => boolean;
  readonly signal: AbortSignal;
};

const DISK_BLOCK = 512n;

/**
 * Lists a tree in the order of its names, folders before what is in them.
 * @throws ArtifactError for sockets, pipes and devices, and for too much; the file system's error; the signal's reason
 */
export async function surveyTree({ root, leavesOut, signal }: SurveyOptions): Promise<TreeSurvey> {
  const base = byteTextOf(root);
  const entries: TreeEntry[] = [];
  const firstNames = new Map<string, ByteText>();
  const count = createTreeCount("refused");
  let diskBytes = 0n;

  function push(entry: TreeEntry): void {
    count.addEntry(entry.path, entry.target);
    entries.push(entry);
  }

  async function list(folder: ByteText): Promise<void> {
    const inFolder = folder === "" ? base : `${base}/${folder}`;
    const names = (await readdir(toBytes(inFolder), { encoding: "buffer" })).map(fromBytes).toSorted();
    for (const name of names) {
      signal.throwIfAborted();
      const path = folder === "" ? name : `${folder}/${name}`;
      if (!leavesOut(path)) await add(path);
    }
  }

  async function add(path: ByteText): Promise<void> {
    if (path.length > LONGEST_PATH) throw pathTooLong();
    const place = toBytes(`${base}/${path}`);
    const found = await lstat(place, { bigint: true });
    const entry = {
      path,
      mode: Number(found.mode) & PERMISSIONS,
      mtime: Math.floor(Number(found.mtimeMs) / 1000),
      size: 0,
      target: "",
    };
    if (found.isSymbolicLink()) {
      push({
        ...entry,
        kind: "link",
        target: fromBytes(await readlink(place, { encoding: "buffer" })),
      });
    } else if (found.isDirectory()) {
      push({ ...entry, kind: "folder" });
      await list(path);
    } else if (found.isFile()) {
      const first = earlierName(found, path);
      if (first !== null) return push({ ...entry, kind: "hard_link", target: first });
      count.addBytes(Number(found.size));
      diskBytes += found.blocks * DISK_BLOCK;
      push({ ...entry, kind: "file", size: Number(found.size) });
    } else throw new ArtifactError("refused", `\`${shown(path)}\` is ${specialKind(found)}`);
  }

  /** The path under which the file was listed before, if it has several names. */
  function earlierName({ nlink, dev, ino }: BigIntStats, path: ByteText): ByteText | null {
    if (nlink < 2n) return null;
    const file = `${dev}:${ino}`;
    const first = firstNames.get(file) ?? null;
    if (first === null) firstNames.set(file, path);
    return first;
  }

  try {
    await list("");
  } catch (error) {
    if (hasCode(error, "ENAMETOOLONG")) throw pathTooLong();
    throw error;
  }
  return { entries, bytes: count.bytes, diskBytes: Number(diskBytes) };
}

const pathTooLong = () => new ArtifactError("refused", "it has a path that is too long");

function specialKind({ mode }: BigIntStats): string {
  switch (Number(mode) & constants.S_IFMT) {
    case constants.S_IFSOCK:
      return "a socket";
    case constants.S_IFIFO:
      return "a named pipe";
    default:
      return "a device";
  }
}
