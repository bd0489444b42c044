import { readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";

import * as z from "zod/mini";

import { InsidePath } from "#contract/git-names.ts";

/** One release, opened for one request. `folder` is its files, `documentRoot` the part of them that is served. */
export type OpenRelease = {
  readonly version: string;
  readonly folder: string;
  readonly documentRoot: string;
};

/** What this server needs of `releases/<version>.json`, which the agent writes before it switches to a release. */
const ReleaseRecord = z.object({ root_directory: InsidePath, output_directory: InsidePath });

/** How often a link that changes under our hands is followed again before it counts as broken. */
const MAX_TRIES = 5;

/**
 * The version that `current` points to.
 * @returns `null` when nothing has been deployed. Never throws.
 */
export async function currentVersion(directory: string): Promise<string | null> {
  try {
    const name = basename(await readlink(join(directory, "current")));
    return /^[1-9]\d{0,15}$/.test(name) ? name : null;
  } catch {
    return null;
  }
}

/**
 * Follows `current` once, so that everything found through the answer is of one release, whatever is switched meanwhile.
 * @returns `null` when there is no release that can be served. Never throws.
 */
export async function openRelease(directory: string): Promise<OpenRelease | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const version = await currentVersion(directory);
    if (version === null) return null;
    const folder = join(directory, "releases", version);
    const record = await readRecord(`${folder}.json`);
    if (record !== null) {
      const documentRoot = join(folder, record.root_directory, record.output_directory);
      return { version, folder, documentRoot };
    }
    // A release that failed its health check is removed right after `current` has left it: follow the link again.
    if ((await currentVersion(directory)) === version) return null;
  }
  return null;
}

async function readRecord(path: string): Promise<z.infer<typeof ReleaseRecord> | null> {
  try {
    return ReleaseRecord.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
