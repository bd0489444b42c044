import { createReadStream } from "node:fs";
import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { unpackTar } from "#build/artifact/unpack-artifact.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import type { WorkFolder } from "#cli/builds/work-folder.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The files of a build. `place`: the folder that the build or its archive is in. */
export type ArtifactSource = { readonly folder: string; readonly place: string };

/** Finds the folder of a build. An archive is unpacked into the work folder first. */
export async function openArtifactSource(
  given: string,
  cwd: string,
  work: WorkFolder,
  signal: AbortSignal,
): Promise<Result<ArtifactSource>> {
  const path = resolve(cwd, given);
  try {
    if ((await stat(path)).isDirectory()) {
      const folder = await realpath(path);
      return succeed({ folder, place: folder });
    }
    const into = join(work.path, "files");
    await mkdir(into);
    const unpacked = await unpackTar(createReadStream(path), { into, signal });
    if (!unpacked.ok) return stop("usage", `${given} cannot be unpacked: ${unpacked.problem.message}.`);
    return succeed({ folder: into, place: dirname(path) });
  } catch (error) {
    if (signal.aborted) return stop("interrupted", "No changes were made.");
    return stop("unreadable_file", `${given} cannot be read: ${messageOf(error)}.`);
  }
}
