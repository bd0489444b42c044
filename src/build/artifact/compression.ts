import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

import { ArtifactError } from "#build/artifact/artifact-error.ts";

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** How many first bytes of a stream tell its compression. */
export const MAGIC_BYTES = ZSTD_MAGIC.length;

/** As fast as zstd's usual level. The other levels of gzip take several times as long for a tenth less. */
const GZIP_LEVEL = 1;

/** Compresses with zstd, or with gzip in a Node before 22.15. The first bytes tell which it was. */
export function createCompressor(): Transform {
  return hasZstd() ? zlib.createZstdCompress() : zlib.createGzip({ level: GZIP_LEVEL });
}

/** Node 20 does not have the function that the types of a newer one name. */
export const hasZstd = (): boolean => typeof zlib.createZstdCompress === "function";

/**
 * What decompresses a stream with these first bytes; null if it is not compressed.
 * @throws ArtifactError for zstd in a Node that cannot read it
 */
export function createDecompressor(start: Buffer): Transform | null {
  if (start.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC)) {
    if (!hasZstd())
      throw new ArtifactError(
        "refused",
        `it is compressed with zstd, which Node ${process.versions.node} cannot read`,
      );
    return zlib.createZstdDecompress();
  }
  return start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC) ? zlib.createGunzip() : null;
}
