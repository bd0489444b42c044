import { ArtifactError } from "#build/artifact/artifact-error.ts";

/** Reads a stream in pieces of wanted lengths. */
export type ByteReader = {
  /** @returns null if the stream ends before */
  exactly(length: number): Promise<Buffer | null>;
  /** At least one byte and at most `most`, as they come; null at the end. */
  upTo(most: number): Promise<Buffer | null>;
  /** @throws ArtifactError if the stream ends before */
  skip(length: number): Promise<void>;
  /** Reads the rest, so that what checks the whole stream has seen it. */
  drain(): Promise<void>;
};

/**
 * Reads `source`, which nothing else may read.
 * @param signal its reason is thrown, also in the middle of what is skipped: a small archive can have very much of that
 */
export function createByteReader(source: AsyncIterable<Buffer>, signal: AbortSignal): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    while (rest.length === 0) {
      signal.throwIfAborted();
      const next = await chunks.next();
      if (next.done === true) return false;
      rest = next.value;
    }
    return true;
  }

  async function upTo(most: number): Promise<Buffer | null> {
    if (most === 0 || !(await fill())) return null;
    const bytes = rest.subarray(0, most);
    rest = rest.subarray(bytes.length);
    return bytes;
  }

  return {
    upTo,
    async exactly(length) {
      if (rest.length >= length) {
        const bytes = rest.subarray(0, length);
        rest = rest.subarray(length);
        return bytes;
      }
      const pieces: Buffer[] = [];
      for (let missing = length; missing > 0;) {
        const piece = await upTo(missing);
        if (piece === null) return null;
        pieces.push(piece);
        missing -= piece.length;
      }
      return Buffer.concat(pieces);
    },
    async skip(length) {
      for (let missing = length; missing > 0;) {
        const piece = await upTo(missing);
        if (piece === null) throw new ArtifactError("invalid", "it ends too early");
        missing -= piece.length;
      }
    },
    async drain() {
      do rest = Buffer.alloc(0);
      while (await fill());
    },
  };
}
