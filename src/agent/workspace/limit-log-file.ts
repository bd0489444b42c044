import { constants, ftruncateSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;

/**
 * Keeps a file that processes append to within a size: the newest part of a longer one moves to `<path>.1`, and the file
 * is emptied. Output that is written in between is lost. The owner of the folder may be a project's user, who must not
 * direct the agent to other files. Never throws: if the disk fails, the file stays as it is.
 * @param beforeEmptied called just before the file is emptied, for a reader that has not read all of it
 */
export async function limitLogFile(
  path: string,
  maxBytes: number,
  beforeEmptied: (path: string) => void = () => undefined,
): Promise<void> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.nlink !== 1 || found.size <= maxBytes) return;
    await copyEnd(file, found.size, `${path}.1`, maxBytes);
    beforeEmptied(path);
    // In the same turn, so that as little as possible is written in between.
    ftruncateSync(file.fd);
  } catch {
    // Tried again later.
  } finally {
    await file?.close();
  }
}

async function copyEnd(file: FileHandle, size: number, path: string, maxBytes: number): Promise<void> {
  await rm(path, { force: true });
  const copy = await open(path, "wx", 0o600);
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let isFirst = true;
    for (let at = size - maxBytes; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, size - at), at);
      // Another process has emptied the file.
      if (bytesRead === 0) return;
      const read = buffer.subarray(0, bytesRead);
      // Not half a line, unless there is no other.
      await copy.write(isFirst ? read.subarray(read.indexOf("\n") + 1) : read);
      isFirst = false;
      at += bytesRead;
    }
  } finally {
    await copy.close();
  }
}
