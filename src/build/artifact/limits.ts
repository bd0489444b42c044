import { ArtifactError } from "#build/artifact/artifact-error.ts";
import type { ByteText } from "#build/artifact/byte-text.ts";

/** The most that an archive may contain. More is refused when it is made, and when it is unpacked. */
const MAX_ENTRIES = 500_000;
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024;
/** The most bytes of all paths and of the targets of links together, which are in memory. 500,000 files of a real build have about 50 MiB. */
const MAX_NAMES_BYTES = 128 * 1024 * 1024;
/** The most bytes of a path in an archive. The path of the folder in which it is unpacked comes before it. */
export const LONGEST_PATH = 3_000;
/** The permission bits that an archive keeps. The others, such as setuid, belong to the machine. */
export const PERMISSIONS = 0o777;

/** What an archive contains so far, as it is made or unpacked. */
export type TreeCount = {
  /** @param target of a link; empty for others. @throws ArtifactError for too many entries, or too long paths together */
  addEntry(path: ByteText, target: ByteText): void;
  /** @param size of a file, in bytes. @throws ArtifactError for too many bytes */
  addBytes(size: number): void;
  /** The bytes of all files. */
  readonly bytes: number;
};

/** @param code of the error for an archive that contains too much */
export function createTreeCount(code: "refused" | "invalid"): TreeCount {
  let entries = 0;
  let bytes = 0;
  let nameBytes = 0;
  return {
    addEntry(path, target) {
      entries += 1;
      nameBytes += path.length + target.length;
      if (entries > MAX_ENTRIES) throw new ArtifactError(code, `it has more than ${MAX_ENTRIES} files`);
      if (nameBytes > MAX_NAMES_BYTES)
        throw new ArtifactError(code, `its paths have more than ${MAX_NAMES_BYTES / 1024 ** 2} MiB together`);
    },
    addBytes(size) {
      bytes += size;
      if (bytes > MAX_UNPACKED_BYTES)
        throw new ArtifactError(code, `its files have more than ${MAX_UNPACKED_BYTES / 1024 ** 3} GiB`);
    },
    get bytes() {
      return bytes;
    },
  };
}
