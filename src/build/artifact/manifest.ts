import * as z from "zod/mini";

import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { textUpTo, wholeFrom } from "#contract/bounds.ts";
import { CommitSha, MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";

// An artifact is a tar archive: first the manifest, then the files of the release below `files/`, and at the end the list of
// files that contain the path at which it was built.

/** The paths of these three in the archive. */
export const MANIFEST = "artifact.json";
export const FILES = "files/";
export const MENTIONS = "mentions.json";

/** The most characters of the manifest or the list. */
export const MAX_JSON = 8 * 1024 * 1024;

/**
 * What an artifact has. `bytes`: of all files. `disk_bytes`: what they take on a disk. `path`: the absolute path of the
 * release folder where it was built; null: it was made elsewhere. `commit`: what was built; null: not known. `release`: what
 * its builder recorded about the release; null: nothing, so that the server decides from the files.
 */
export const Manifest = z.object({
  format: z.literal(1),
  entries: wholeFrom(0),
  bytes: wholeFrom(0),
  disk_bytes: wholeFrom(0),
  path: z.nullable(z.string().check(z.regex(/^\/./))),
  commit: z.nullable(z.object({ sha: CommitSha, message: textUpTo(MAX_COMMIT_MESSAGE) })),
  release: z.unknown(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Paths of files, one character for each byte of a path. */
const Mentions = z.array(z.string());

/** @throws ArtifactError */
export function parseManifest(text: string): Manifest {
  const parsed = parseKnown(Manifest, parseJson(text));
  if (!parsed.success) throw new ArtifactError("invalid", "its manifest is not valid");
  return parsed.data;
}

/** @throws ArtifactError */
export function parseMentions(text: string): readonly string[] {
  const parsed = Mentions.safeParse(parseJson(text));
  if (!parsed.success) throw new ArtifactError("invalid", "its list of paths is not valid");
  return parsed.data;
}
