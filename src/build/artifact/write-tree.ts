import { constants } from "node:fs";
import { chmod, type FileHandle, link, mkdir, open, symlink } from "node:fs/promises";

import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, byteTextOf, shown, toBytes } from "#build/artifact/byte-text.ts";
import { createTreeCount, LONGEST_PATH, PERMISSIONS } from "#build/artifact/limits.ts";
import type { TarEntry } from "#build/artifact/tar/read-tar.ts";

/** Writes the entries of an archive below a folder. */
export type TreeWriter = {
  /** @throws ArtifactError for an entry that is not allowed; the file system's error */
  add(entry: TarEntry, path: ByteText): Promise<void>;
  /** Makes the links, and waits until everything is written. @throws as `add` */
  finish(): Promise<void>;
  /** Waits until all writes have ended, after an error. Never throws. */
  settle(): Promise<void>;
  /** Whether a path is a file that was written. */
  isFile(path: ByteText): boolean;
};

/** The bits that the owner needs to use and delete everything. */
const OWN_FILE = 0o600;
const OWN_FOLDER = 0o700;

const LONGEST_NAME = 255;
const LONGEST_TARGET = 4_095;

const CHUNK_BYTES = 256 * 1024;
/** A piece of zeros of this size becomes a hole, as most file systems can make it. */
const HOLE_BYTES = 64 * 1024;
const SMALL_BYTES = 64 * 1024;
const MAX_WRITING = 16;

/**
 * Writes only below `into`, an empty folder of its own that nothing else changes meanwhile. Links are made after
 * everything else, so that nothing can be written through one. They may lead anywhere: whether they may is for the caller to check.
 */
export function createTreeWriter(into: string, signal: AbortSignal): TreeWriter {
  const base = byteTextOf(into);
  const kinds = new Map<ByteText, "file" | "folder" | "link">();
  const links: { readonly path: ByteText; readonly target: ByteText; readonly isHard: boolean }[] = [];
  const writing = new Set<Promise<void>>();
  const problems: unknown[] = [];
  const count = createTreeCount("invalid");

  const placeOf = (path: ByteText): Buffer => toBytes(`${base}/${path}`);

  function counted(size: number): void {
    signal.throwIfAborted();
    if (problems.length > 0) throw problems[0];
    count.addBytes(size);
  }

  /** Folders that an archive has only in the paths of others count too. */
  function note(path: ByteText, kind: "file" | "folder" | "link", target: ByteText = ""): void {
    count.addEntry(path, target);
    kinds.set(path, kind);
  }

  async function makeParents(path: ByteText): Promise<void> {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end);
      const kind = kinds.get(folder);
      if (kind === "folder") continue;
      if (kind !== undefined)
        throw new ArtifactError(
          "invalid",
          `\`${shown(path)}\` is in \`${shown(folder)}\`, which is not a folder`,
        );
      signal.throwIfAborted();
      note(folder, "folder");
      await mkdir(placeOf(folder), OWN_FOLDER | 0o055);
    }
  }

  function claim(path: ByteText, kind: "file" | "link", target?: ByteText): void {
    if (kinds.has(path)) throw new ArtifactError("invalid", `it has \`${shown(path)}\` twice`);
    note(path, kind, target);
  }

  async function makeFolder(path: ByteText, mode: number): Promise<void> {
    const kind = kinds.get(path);
    if (kind !== undefined && kind !== "folder")
      throw new ArtifactError("invalid", `it has \`${shown(path)}\` twice`);
    if (kind === undefined) {
      note(path, "folder");
      await mkdir(placeOf(path), OWN_FOLDER);
    }
    await chmod(placeOf(path), (mode & PERMISSIONS) | OWN_FOLDER);
  }

  /** Writes a file that is in memory, beside the reading of the next. */
  async function writeBeside(work: Promise<void>): Promise<void> {
    const noted = work
      .catch((error: unknown) => void problems.push(error))
      .finally(() => writing.delete(noted));
    writing.add(noted);
    if (writing.size >= MAX_WRITING) await Promise.race(writing);
  }

  async function makeFile(entry: TarEntry, path: ByteText): Promise<void> {
    claim(path, "file");
    const place = placeOf(path);
    if (entry.size > SMALL_BYTES)
      return withNewFile(place, entry, async (file) => copyContent(entry, file, signal));
    const pieces: Buffer[] = [];
    for (let piece = await entry.next(CHUNK_BYTES); piece !== null; piece = await entry.next(CHUNK_BYTES))
      pieces.push(piece);
    // A copy, because the pieces are parts of what was decompressed, which would all stay in memory.
    const content = Buffer.concat(pieces);
    await writeBeside(withNewFile(place, entry, async (file) => file.writeFile(content)));
  }

  return {
    async add(entry, rawPath) {
      const path = checkedPath(rawPath);
      if (path === null) return;
      counted(entry.size);
      await makeParents(path);
      // The oldest format has no type for folders.
      const isFolder = entry.type === "folder" || (entry.type === "file" && rawPath.endsWith("/"));
      if (isFolder) return makeFolder(path, entry.mode);
      switch (entry.type) {
        case "file":
          return makeFile(entry, path);
        case "link":
          claim(path, "link", entry.target);
          links.push({ path, target: checkedTarget(entry.target, path), isHard: false });
          return;
        case "hard_link": {
          const target = checkedPath(entry.target);
          if (target === null || kinds.get(target) !== "file")
            throw new ArtifactError(
              "invalid",
              `\`${shown(path)}\` is a link to a file that it does not have`,
            );
          claim(path, "file", target);
          links.push({ path, target, isHard: true });
          return;
        }
        case "refused":
          throw new ArtifactError("invalid", `\`${shown(path)}\` is neither a file nor a folder nor a link`);
      }
    },
    async finish() {
      await Promise.all(writing);
      if (problems.length > 0) throw problems[0];
      for (const { path, target, isHard } of links) {
        signal.throwIfAborted();
        if (isHard) await link(placeOf(target), placeOf(path));
        else await symlink(toBytes(target), placeOf(path));
      }
    },
    async settle() {
      await Promise.all(writing);
    },
    isFile: (path) => kinds.get(path) === "file",
  };
}

/** @returns the path without a leading `./` and a final `/`; null for the folder itself. @throws ArtifactError */
function checkedPath(raw: ByteText): ByteText | null {
  const path = raw.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  if (path === "" ? raw !== "" && !raw.startsWith("/") : path === ".") return null;
  const names = path.split("/");
  const isBad = (name: string) => name === "" || name === "." || name === ".." || name.length > LONGEST_NAME;
  if (path.includes("\0") || path.length > LONGEST_PATH || names.some(isBad))
    throw new ArtifactError("invalid", `it has the path \`${shown(raw)}\`, which is not allowed`);
  return path;
}

function checkedTarget(target: ByteText, path: ByteText): ByteText {
  if (target === "" || target.includes("\0") || target.length > LONGEST_TARGET)
    throw new ArtifactError("invalid", `the link \`${shown(path)}\` has no valid target`);
  return target;
}

async function withNewFile(
  place: Buffer,
  { mode, mtime }: TarEntry,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(place, flag, OWN_FILE);
  try {
    await write(file);
    await file.chmod((mode & PERMISSIONS) | OWN_FILE);
    await file.utimes(mtime, mtime);
  } finally {
    await file.close();
  }
}

const zeros = Buffer.alloc(HOLE_BYTES);

async function copyContent(entry: TarEntry, file: FileHandle, signal: AbortSignal): Promise<void> {
  let at = 0;
  for (let piece = await entry.next(HOLE_BYTES); piece !== null; piece = await entry.next(HOLE_BYTES)) {
    signal.throwIfAborted();
    if (!piece.equals(zeros.subarray(0, piece.length))) await writeAt(file, piece, at);
    at += piece.length;
  }
  await file.truncate(at);
}

async function writeAt(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let done = 0; done < piece.length;) {
    const { bytesWritten } = await file.write(piece, done, piece.length - done, at + done);
    done += bytesWritten;
  }
}
