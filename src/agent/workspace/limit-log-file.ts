import { constants, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;

/**
 * Keeps a file that processes append to within a size: the newest part of a longer one moves to `<path>.1`, and the file
 * is emptied. Output that is written in the same instant is lost. The owner of the folder may be a project's user, who
 * must not direct the agent to other files. Never throws: if the disk fails, the file stays as it is.
 * @param beforeEmptied called just before the file is emptied, for a reader that has not read all of it
 */
export async function limitLogFile(
  path: string,
  maxBytes: number,
  beforeEmptied: (path: string) => void = () => undefined,
): Promise<void> {
  let file: FileHandle | null = null;
  let copy: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || found.nlink !== 1 || found.size <= maxBytes) return;
    await rm(`${path}.1`, { force: true });
    copy = await open(`${path}.1`, "wx", 0o600);
    const copied = await copyEnd(file, copy, found.size, maxBytes);
    // Without an await, so that as little as possible is written meanwhile.
    copyRest(file.fd, copy.fd, copied, maxBytes);
    beforeEmptied(path);
    ftruncateSync(file.fd);
  } catch {
    // Tried again later.
  } finally {
    await file?.close();
    await copy?.close();
  }
}

/** Copies what the file had when its size was read. @returns where the copied part ends in the file */
async function copyEnd(file: FileHandle, copy: FileHandle, size: number, maxBytes: number): Promise<number> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let isFirst = true;
  let at = size - maxBytes;
  while (at < size) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, size - at), at);
    // Another process has emptied the file.
    if (bytesRead === 0) break;
    const read = buffer.subarray(0, bytesRead);
    // Not half a line, unless there is no other.
    await copy.write(isFirst ? read.subarray(read.indexOf("\n") + 1) : read);
    isFirst = false;
    at += bytesRead;
  }
  return at;
}

/**
 * Copies the text that was written meanwhile, at most this many bytes: the agent does nothing else until it returns.
 */
function copyRest(file: number, copy: number, from: number, maxBytes: number): void {
  const end = Math.min(fstatSync(file).size, from + maxBytes);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let at = from; at < end;) {
    const bytesRead = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, end - at), at);
    if (bytesRead === 0) return;
    writeSync(copy, buffer, 0, bytesRead);
    at += bytesRead;
  }
}
