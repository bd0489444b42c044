import { Readable, type Transform } from "node:stream";

import { ArtifactError, type ArtifactProblem, problemOf } from "#build/artifact/artifact-error.ts";
import { byteTextOf } from "#build/artifact/byte-text.ts";
import { type ByteReader, createByteReader } from "#build/artifact/byte-reader.ts";
import { createDecompressor, MAGIC_BYTES } from "#build/artifact/compression.ts";
import {
  FILES,
  MANIFEST,
  type Manifest,
  MAX_JSON,
  MENTIONS,
  parseManifest,
  parseMentions,
} from "#build/artifact/manifest.ts";
import { replaceInFiles } from "#build/artifact/replace-in-files.ts";
import { openParts, type PartsKey, type SealedParts } from "#build/artifact/sealed-parts.ts";
import { readTar, type TarEntry } from "#build/artifact/tar/read-tar.ts";
import { createTreeWriter, type TreeWriter } from "#build/artifact/write-tree.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Where to unpack. */
export type UnpackOptions = {
  /** The absolute path of an empty folder. After a problem, it has some of the files. */
  readonly into: string;
  readonly signal: AbortSignal;
};

type Unpacked<Value> = Promise<ResultOf<Value, { readonly problem: ArtifactProblem }>>;

/**
 * Decrypts and unpacks an artifact whose parts are files in `folder`. Where the files contain the path at which the artifact
 * was built, they get the path of `into`.
 * @param check called with the manifest before any file is written; it throws to stop
 * @throws what `check` throws; the file system's error; the signal's reason
 */
export async function unpackArtifact(
  folder: string,
  parts: Pick<SealedParts, "parts">,
  options: UnpackOptions & PartsKey & { readonly check: (manifest: Manifest) => Promise<void> },
): Unpacked<Manifest> {
  const { into, signal, check } = options;
  const writer = createTreeWriter(into, signal);
  try {
    let manifest: Manifest | null = null;
    let mentions: readonly string[] | null = null;
    for await (const entry of entriesOf(openParts(folder, parts, options, signal), signal)) {
      if (entry.path === MANIFEST) {
        manifest = parseManifest(await textOf(entry));
        await check(manifest);
      } else if (manifest === null) throw new ArtifactError("invalid", "it has no manifest");
      else if (entry.path === MENTIONS) mentions = parseMentions(await textOf(entry));
      else await writer.add(here(entry, manifest, into), inFiles(entry.path));
    }
    if (manifest === null || mentions === null) throw new ArtifactError("invalid", "it ends too early");
    await writer.finish();
    await relocate(writer, manifest, mentions, options);
    return succeed(manifest);
  } catch (error) {
    return await failed(error, writer, signal);
  }
}

/**
 * Unpacks a tar archive that somebody else has made. It may be compressed with gzip or zstd.
 * @throws the file system's error; the signal's reason
 */
export async function unpackTar(
  source: AsyncIterable<Buffer>,
  { into, signal }: UnpackOptions,
): Unpacked<null> {
  const writer = createTreeWriter(into, signal);
  try {
    for await (const entry of entriesOf(source, signal)) await writer.add(entry, entry.path);
    await writer.finish();
    return succeed(null);
  } catch (error) {
    return await failed(error, writer, signal);
  }
}

async function failed(error: unknown, writer: TreeWriter, signal: AbortSignal) {
  await writer.settle();
  signal.throwIfAborted();
  return { ok: false as const, problem: problemOf(error) };
}

async function* entriesOf(
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<TarEntry, void, undefined> {
  const reader = createByteReader(source, signal);
  const start = await reader.exactly(MAGIC_BYTES);
  if (start === null) throw new ArtifactError("invalid", "it is empty");
  const all = startingWith(start, reader);
  const decompressor = createDecompressor(start);
  if (decompressor === null) return yield* readTar(createByteReader(all, signal));
  yield* readTar(createByteReader(decompressed(all, decompressor), signal));
}

async function* decompressed(
  compressed: AsyncIterable<Buffer>,
  decompressor: Transform,
): AsyncGenerator<Buffer, void, undefined> {
  const input = Readable.from(compressed, { objectMode: false });
  // The error of the input is what went wrong, and the decompressor knows only that it ended.
  input.on("error", (error) => decompressor.destroy(error));
  // The reader gets the error. Without a reader, it does not matter.
  decompressor.on("error", () => undefined);
  input.pipe(decompressor);
  try {
    yield* decompressor;
  } catch (error) {
    throw isZlibError(error) ? new ArtifactError("invalid", "its compression is damaged") : error;
  } finally {
    input.destroy();
    decompressor.destroy();
  }
}

async function* startingWith(start: Buffer, reader: ByteReader): AsyncGenerator<Buffer, void, undefined> {
  yield start;
  for (let piece = await reader.upTo(Infinity); piece !== null; piece = await reader.upTo(Infinity))
    yield piece;
}

/** Such as `Z_DATA_ERROR`, `Z_BUF_ERROR` and `ZSTD_error_checksum_wrong`. */
function isZlibError(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^(?:Z_|ZSTD_|ERR_.*ZLIB|ERR_ZSTD)/.test(String(error.code))
  );
}

async function textOf(entry: TarEntry): Promise<string> {
  if (entry.type !== "file" || entry.size > MAX_JSON)
    throw new ArtifactError("invalid", `it has no valid \`${entry.path}\``);
  const pieces: Buffer[] = [];
  for (let piece = await entry.next(MAX_JSON); piece !== null; piece = await entry.next(MAX_JSON))
    pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function inFiles(path: string): string {
  if (!path.startsWith(FILES)) throw new ArtifactError("invalid", `it has \`${path}\`, which is not allowed`);
  return path.slice(FILES.length);
}

/** The entry, whose link leads to the same file in the folder in which it is unpacked. */
function here(entry: TarEntry, { path }: Manifest, into: string): TarEntry {
  if (entry.type === "hard_link") return { ...entry, target: inFiles(entry.target) };
  if (entry.type !== "link" || path === null) return entry;
  const { target } = entry;
  const from = byteTextOf(path);
  const isInside = target === from || target.startsWith(`${from}/`);
  return isInside ? { ...entry, target: `${byteTextOf(into)}${target.slice(from.length)}` } : entry;
}

async function relocate(
  writer: TreeWriter,
  { path }: Manifest,
  mentions: readonly string[],
  { into, signal }: UnpackOptions,
): Promise<void> {
  if (path === null || path === into) return;
  if (!mentions.every((mentioned) => writer.isFile(mentioned)))
    throw new ArtifactError("invalid", "its list of paths is not valid");
  await replaceInFiles(into, mentions, { from: byteTextOf(path), to: byteTextOf(into) }, signal);
}
