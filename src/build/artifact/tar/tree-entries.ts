import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, byteTextOf, shown, toBytes } from "#build/artifact/byte-text.ts";
import type { TreeEntry } from "#build/artifact/survey-tree.ts";
import { flags, padding } from "#build/artifact/tar/header.ts";
import { encodeEntry } from "#build/artifact/tar/pax.ts";

const CHUNK_BYTES = 256 * 1024;
/** Files up to this size are read ahead of their turn, several at the same time. */
const SMALL_BYTES = 64 * 1024;
const READ_AHEAD = 32;

/** Where the files of the entries are, and how they appear in the archive. */
export type EntryOptions = {
  /** The folder that the entries are in. */
  readonly root: string;
  /** What comes before each path in the archive, such as `files/`. */
  readonly prefix: ByteText;
  readonly signal: AbortSignal;
  /** Gets the content of each file in pieces, and at its end null. */
  readonly onContent: (entry: TreeEntry, bytes: Buffer | null) => void;
};

/** The bytes of a text file in an archive. */
export function textEntry(path: string, text: string): Buffer {
  const body = Buffer.from(text);
  const header = { path, flag: flags.file, mode: 0o644, size: body.length, mtime: 0, target: "" };
  return Buffer.concat([encodeEntry(header), body, padding(body.length)]);
}

/**
 * The entries of a tree as the bytes of an archive, without its end.
 * @throws ArtifactError if a file has another size than before; the file system's error; the signal's reason
 */
export async function* treeEntries(
  entries: readonly TreeEntry[],
  options: EntryOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const { prefix, signal, onContent } = options;
  const read = readAhead(entries, options);
  for (const [place, entry] of entries.entries()) {
    signal.throwIfAborted();
    yield headerOf(entry, prefix);
    if (entry.kind !== "file") continue;
    const small = read(place);
    for await (const bytes of small === null ? contentOf(entry, options) : [await small]) {
      onContent(entry, bytes);
      yield bytes;
    }
    onContent(entry, null);
    yield padding(entry.size);
  }
}

function headerOf({ path, kind, mode, size, mtime, target }: TreeEntry, prefix: ByteText): Buffer {
  const name = `${prefix}${path}${kind === "folder" ? "/" : ""}`;
  const to = kind === "hard_link" ? `${prefix}${target}` : target;
  return encodeEntry({ path: name, flag: flags[kind], mode, size, mtime, target: to });
}

/** @returns the content of the file at a place, if it is small; each place is asked for once, in order */
function readAhead(
  entries: readonly TreeEntry[],
  options: EntryOptions,
): (place: number) => Promise<Buffer> | null {
  const reading = new Map<number, Promise<Buffer>>();
  let next = 0;
  return (place) => {
    for (; next < Math.min(entries.length, place + READ_AHEAD); next += 1) {
      const entry = entries[next];
      if (entry === undefined || entry.kind !== "file" || entry.size > SMALL_BYTES) continue;
      const content = readWhole(entry, options);
      // The reader gets the error when it waits for the content. Without a reader, the archive has failed before.
      content.catch(() => undefined);
      reading.set(next, content);
    }
    const content = reading.get(place) ?? null;
    reading.delete(place);
    return content;
  };
}

async function readWhole(entry: TreeEntry, { root }: EntryOptions): Promise<Buffer> {
  const file = await openFile(entry, root);
  try {
    const bytes = Buffer.allocUnsafe(entry.size);
    for (let at = 0; at < entry.size;) {
      const { bytesRead } = await file.read(bytes, at, entry.size - at, null);
      if (bytesRead === 0) throw hasChanged(entry);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

async function* contentOf(
  entry: TreeEntry,
  { root, signal }: EntryOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const file = await openFile(entry, root);
  try {
    for (let left = entry.size; left > 0;) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) throw hasChanged(entry);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openFile(entry: TreeEntry, root: string): Promise<FileHandle> {
  // Without O_NONBLOCK, a pipe in the file's place would block forever.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(toBytes(`${byteTextOf(root)}/${entry.path}`), flag);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size !== entry.size) throw hasChanged(entry);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

const hasChanged = ({ path }: TreeEntry) =>
  new ArtifactError("changed", `\`${shown(path)}\` changed while it was read`);
