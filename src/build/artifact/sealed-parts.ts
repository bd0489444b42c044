import { createCipheriv, createDecipheriv, createHash, type DecipherGCM } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";

import { ArtifactError, type ArtifactProblem } from "#build/artifact/artifact-error.ts";
import { type Artifact, ARTIFACT_PART_BYTES, bytesOfPart, MAX_ARTIFACT_PARTS } from "#contract/artifact.ts";
import type { ProjectId } from "#contract/ids.ts";

// An archive is encrypted in parts with AES-256-GCM. The nonce is the number of the part, because a key is used for one
// archive only. The additional data binds a part to its project and its place. A missing last part is noticed, because the
// archive in the parts then has no end.

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LABEL = "gantry-artifact-1";
const READ_BYTES = 1024 * 1024;

/** What decrypts the parts of an artifact. `key`: `ARTIFACT_KEY_BYTES` long. */
export type PartsKey = { readonly key: Uint8Array; readonly projectId: ProjectId };

/** What encrypted parts are, together. */
export type SealedParts = Pick<Artifact, "sha256" | "bytes" | "parts">;

/** The file of a part in a folder. */
export const partPath = (folder: string, part: number): string => join(folder, String(part));

function nonceOf(part: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(part, NONCE_BYTES - 4);
  return nonce;
}

const dataOf = (projectId: ProjectId, part: number) => Buffer.from(`${LABEL}\0${projectId}\0${part}`);

/** What and where to encrypt. */
export type SealOptions = PartsKey & {
  /** An existing folder. The parts are files in it that are named after their numbers. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called before each part with its number, to check that it has room. */
  readonly beforePart: (part: number) => Promise<void>;
  /** Omitted, except in tests. */
  readonly partBytes?: number;
};

/**
 * Encrypts a stream into files.
 * @throws ArtifactError if it has more parts than an artifact may; the file system's error; the signal's reason
 */
export async function sealParts(source: AsyncIterable<Buffer>, options: SealOptions): Promise<SealedParts> {
  const { folder, signal, beforePart, partBytes = ARTIFACT_PART_BYTES } = options;
  const hash = createHash("sha256");
  let bytes = 0;
  let parts = 0;
  let part: Awaited<ReturnType<typeof beginPart>> | null = null;

  async function beginPart() {
    if (parts === MAX_ARTIFACT_PARTS)
      throw new ArtifactError(
        "refused",
        `it has more than ${(MAX_ARTIFACT_PARTS * partBytes) / 1024 ** 3} GiB`,
      );
    parts += 1;
    await beforePart(parts);
    const cipher = createCipheriv(CIPHER, options.key, nonceOf(parts));
    cipher.setAAD(dataOf(options.projectId, parts));
    return { cipher, file: await open(partPath(folder, parts), "wx", 0o600), room: partBytes - TAG_BYTES };
  }

  async function write(file: { writeFile(data: Buffer): Promise<void> }, data: Buffer): Promise<void> {
    hash.update(data);
    bytes += data.length;
    await file.writeFile(data);
  }

  async function closePart(): Promise<void> {
    if (part === null) return;
    const { cipher, file } = part;
    await write(file, Buffer.concat([cipher.final(), cipher.getAuthTag()]));
    await file.close();
    part = null;
  }

  try {
    for await (const chunk of source) {
      for (let rest = chunk; rest.length > 0;) {
        signal.throwIfAborted();
        if (part?.room === 0) await closePart();
        part ??= await beginPart();
        const piece = rest.subarray(0, part.room);
        rest = rest.subarray(piece.length);
        part.room -= piece.length;
        await write(part.file, part.cipher.update(piece));
      }
    }
    await closePart();
  } finally {
    await part?.file.close();
  }
  return { sha256: hash.digest("hex"), bytes, parts };
}

/**
 * Checks that the files of the parts are the artifact that their names say.
 * @returns why they are not; null if they are
 * @throws the file system's error; the signal's reason
 */
export async function checkParts(
  folder: string,
  artifact: SealedParts,
  signal: AbortSignal,
): Promise<ArtifactProblem | null> {
  const hash = createHash("sha256");
  for (let part = 1; part <= artifact.parts; part += 1) {
    const path = partPath(folder, part);
    if ((await stat(path)).size !== bytesOfPart(artifact, part))
      return { kind: "invalid", message: `its part ${part} has another size` };
    const file = await open(path);
    try {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) break;
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
  const isSame = hash.digest("hex") === artifact.sha256;
  return isSame ? null : { kind: "invalid", message: "it has another SHA-256" };
}

/**
 * Decrypts the parts in a folder. Nothing of a part comes out before all of it is authenticated.
 * @throws ArtifactError if one was changed, or encrypted with another key, for another project or in another place
 */
export async function* openParts(
  folder: string,
  { parts }: Pick<SealedParts, "parts">,
  { key, projectId }: PartsKey,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  for (let part = 1; part <= parts; part += 1)
    yield* await openPart(partPath(folder, part), part, { key, projectId }, signal);
}

/** Its content is in memory at once, because none of it counts before its end is read. */
async function openPart(
  path: string,
  part: number,
  { key, projectId }: PartsKey,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  const file = await open(path);
  try {
    const end = (await file.stat()).size - TAG_BYTES;
    if (end <= 0) throw new ArtifactError("invalid", "it has an empty part");
    const decipher = createDecipheriv(CIPHER, key, nonceOf(part));
    decipher.setAAD(dataOf(projectId, part));
    const content: Buffer[] = [];
    for (let at = 0; at < end;) {
      signal.throwIfAborted();
      const piece = await readAt(file, at, Math.min(READ_BYTES, end - at));
      content.push(decipher.update(piece));
      at += piece.length;
    }
    decipher.setAuthTag(await readAt(file, end, TAG_BYTES));
    finish(decipher, part);
    return content;
  } finally {
    await file.close();
  }
}

function finish(decipher: DecipherGCM, part: number): void {
  try {
    decipher.final();
  } catch {
    throw new ArtifactError("invalid", `its part ${part} is damaged, or was made for another project`);
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
  if (bytesRead < length) throw new ArtifactError("invalid", "a part became shorter");
  return buffer;
}
