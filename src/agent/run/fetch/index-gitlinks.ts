import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";

/** Where the entries of an index begin, and where an entry has what. Source: gitformat-index(5), version 2 and 3. */
const FIRST_ENTRY = 12;
const MODE = 24;
const SIZE = 36;
const HASH = 40;
const LONG_FLAGS = 0x4000;
const GITLINK = 0o160000;
/** The mode as it is in an entry. */
const GITLINK_BYTES = "\0\0\u00e0\0";

/**
 * The commit of each submodule in an index, by path. The index has them without another process of git, for which the tree
 * would be listed.
 * @param index an index in one file, of version 2 or 3
 * @param hashBytes the length of a hash in the repository
 */
export async function indexGitlinks(index: string, hashBytes: 20 | 32): Promise<ReadonlyMap<string, string>> {
  // Most repositories have none, so their index is not read at once.
  return (await fileContains(index, GITLINK_BYTES))
    ? readIndexGitlinks(await readFile(index), hashBytes)
    : new Map();
}

/** As `indexGitlinks`, of the bytes of the index. */
export function readIndexGitlinks(index: Buffer, hashBytes: 20 | 32): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const { path, mode, hash } of entriesIn(index, hashBytes))
    if (mode === GITLINK) links.set(path(), hash());
  return links;
}

/**
 * The paths of files with a size in a range, as they were written.
 * @param index an index in one file, of version 2 or 3
 */
export async function indexFilesOfSize(
  index: string,
  hashBytes: 20 | 32,
  [least, most]: readonly [number, number],
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { path, mode, size } of entriesIn(await readFile(index), hashBytes))
    if (mode !== GITLINK && size >= least && size <= most) paths.push(path());
  return paths;
}

type IndexEntry = {
  readonly mode: number;
  readonly size: number;
  readonly path: () => string;
  readonly hash: () => string;
};

function* entriesIn(index: Buffer, hashBytes: 20 | 32): Generator<IndexEntry> {
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new Error(`git wrote an index of version ${version}`);
  let at = FIRST_ENTRY;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const hashAt = at + HASH;
    const flagsAt = hashAt + hashBytes;
    const nameAt = flagsAt + ((index.readUInt16BE(flagsAt) & LONG_FLAGS) === 0 ? 2 : 4);
    const end = index.indexOf(0, nameAt);
    if (end === -1) throw new Error("the index of git ends in an entry");
    yield {
      mode: index.readUInt32BE(at + MODE),
      size: index.readUInt32BE(at + SIZE),
      path: () => index.toString("utf8", nameAt, end),
      hash: () => index.toString("hex", hashAt, flagsAt),
    };
    // Filled with zeros, at least one, to a multiple of eight bytes.
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
}

/** Whether a file contains a text of bytes, or cannot be read. */
export async function fileContains(path: string, text: string): Promise<boolean> {
  let end = "";
  try {
    for await (const chunk of createReadStream(path, "latin1")) {
      const part = `${end}${String(chunk)}`;
      if (part.includes(text)) return true;
      end = part.slice(-text.length);
    }
    return false;
  } catch {
    return true;
  }
}
