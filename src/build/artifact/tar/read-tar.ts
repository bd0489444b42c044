import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { fromBytes } from "#build/artifact/byte-text.ts";
import {
  BLOCK,
  decodeHeader,
  paddingBytes,
  type TarHeader,
  type TarType,
  typeOf,
} from "#build/artifact/tar/header.ts";
import { decodePax, type PaxFields } from "#build/artifact/tar/pax.ts";
import type { ByteReader } from "#build/artifact/byte-reader.ts";

/** An entry of an archive. `type` is never `meta`. */
export type TarEntry = TarHeader & {
  readonly type: Exclude<TarType, "meta">;
  /** The next bytes of its content, up to `most`; null at its end. */
  next(most: number): Promise<Buffer | null>;
};

/** A path of 4096 bytes and a target, many times over. A larger header would only take memory. */
const LONGEST_META = 1024 * 1024;

/**
 * The entries of a tar archive: ustar, pax, GNU's and the oldest format. What the caller does not read of an entry is
 * skipped.
 * @throws ArtifactError if it is damaged, incomplete, or has something that cannot be read
 */
export async function* readTar(source: ByteReader): AsyncGenerator<TarEntry, void, undefined> {
  let pax: PaxFields = {};
  for (let isFirst = true; ; isFirst = false) {
    const block = await source.exactly(BLOCK);
    const header = block === null ? null : decodeHeader(block);
    if (block === null)
      throw new ArtifactError("invalid", isFirst ? "it is not a tar archive" : "it ends too early");
    if (header === null) {
      await expectEnd(source);
      return;
    }
    const type = typeOf(header.flag);
    if (type === "meta") {
      pax = { ...pax, ...(await readMeta(source, header)) };
      continue;
    }
    const hasContent = type === "file" || type === "refused";
    const size = hasContent ? (pax.size ?? header.size) : 0;
    let left = size;
    yield {
      ...header,
      type,
      size,
      path: pax.path ?? header.path,
      target: pax.linkpath ?? header.target,
      mtime: pax.mtime ?? header.mtime,
      async next(most) {
        if (left === 0) return null;
        const bytes = await source.upTo(Math.min(left, most));
        if (bytes === null) throw new ArtifactError("invalid", "it ends too early");
        left -= bytes.length;
        return bytes;
      },
    };
    await source.skip(left + paddingBytes(size));
    pax = {};
  }
}

/** Headers about the next entry. Headers about all entries are ignored. */
async function readMeta(source: ByteReader, { flag, size }: TarHeader): Promise<PaxFields> {
  if (size > LONGEST_META) throw new ArtifactError("invalid", "it has a header that is too large");
  const body = await source.exactly(size);
  await source.skip(paddingBytes(size));
  if (body === null) throw new ArtifactError("invalid", "it ends too early");
  const text = fromBytes(body).replace(/\0.*$/s, "");
  switch (flag) {
    case "x":
    case "X":
      return decodePax(body);
    case "L":
      return { path: text };
    case "K":
      return { linkpath: text };
    default:
      return {};
  }
}

/** An archive ends with two blocks of zeros. Without the second it was cut off. */
async function expectEnd(source: ByteReader): Promise<void> {
  const second = await source.exactly(BLOCK);
  if (second === null || decodeHeader(second) !== null)
    throw new ArtifactError("invalid", "it ends too early");
  await source.drain();
}
