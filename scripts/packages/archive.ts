import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { BLOCK, encodeHeader, flags, LONGEST_NAME } from "#build/artifact/tar/header.ts";

/** The time of every file, as in the archives of npm: before 1980 some programs cannot unpack it. In seconds. */
const MTIME = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** The byte of a gzip header that names the system. Source: RFC 1952. */
const SYSTEM = { at: 9, unknown: 255 };

/**
 * Packs a folder as `npm pack` does, and independently of npm's version, the machine's umask, times and the order of the folder:
 * equal files give equal bytes.
 */
export async function packFolder(folder: string): Promise<Buffer> {
  const names = await readdir(folder, { recursive: true });
  const parts: Buffer[] = [];
  for (const name of names.toSorted()) {
    const status = await stat(join(folder, name));
    if (!status.isFile()) continue;
    const path = `package/${name}`;
    if (path.length > LONGEST_NAME) throw new Error(`the path ${path} is too long for a package`);
    const content = await readFile(join(folder, name));
    const mode = (status.mode & 0o100) === 0 ? 0o644 : 0o755;
    const header = { path, flag: flags.file, mode, size: content.length, mtime: MTIME, target: "" };
    parts.push(encodeHeader(header), content, Buffer.alloc(-content.length & (BLOCK - 1)));
  }
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  packed[SYSTEM.at] = SYSTEM.unknown;
  return packed;
}
