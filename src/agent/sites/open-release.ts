import { readlink } from "node:fs/promises";
import { basename, join } from "node:path";

import * as z from "zod/mini";

import { defaultRules, SiteRules } from "#agent/workspace/site-rules.ts";
import { showsSources } from "#build/site-rules/source-files.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { InsidePath } from "#contract/git-names.ts";
import { storedAs } from "#contract/stored.ts";

/** A release that is served for one request. `folder` has its files; `documentRoot` is the part that is served. */
export type OpenRelease = {
  readonly version: string;
  readonly folder: string;
  readonly documentRoot: string;
  /** Otherwise the app runs as a server, and none of its files are served. */
  readonly isPublished: boolean;
  /** Whether the part that is served is the folder with the sources. */
  readonly showsSources: boolean;
  readonly rules: SiteRules;
};

/**
 * The part of `releases/<version>.json` that this server reads. The agent writes it before it switches to a release.
 */
const ReleaseRecord = z.object({
  root_directory: InsidePath,
  output_directory: InsidePath,
  published: z.optional(z.literal(false)),
  site_rules: z.optional(SiteRules),
});
const storedRelease = storedAs(ReleaseRecord);

/** How often a link that keeps changing is read again before it counts as broken. */
const MAX_TRIES = 5;

/**
 * The version that `current` points to.
 * @returns `null` when nothing has been deployed. Never throws.
 */
export async function currentVersion(directory: string): Promise<string | null> {
  const name = basename(await readlink(join(directory, "current")).catch(() => ""));
  return /^[1-9]\d{0,15}$/.test(name) ? name : null;
}

/**
 * Reads `current` once, so that everything found through the result belongs to one release, whatever is switched in
 * the meantime.
 * @returns `null` when there is no release to serve. Never throws.
 */
export async function openRelease(directory: string): Promise<OpenRelease | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const version = await currentVersion(directory);
    if (version === null) return null;
    const folder = join(directory, "releases", version);
    const record = await readJsonFile(`${folder}.json`, storedRelease);
    if (record !== null) {
      const documentRoot = join(folder, record.root_directory, record.output_directory);
      const isPublished = record.published !== false;
      const rules = record.site_rules ?? defaultRules;
      return { version, folder, documentRoot, isPublished, showsSources: showsSources(record), rules };
    }
    // A release that failed its health check is deleted right after the switch back: read the link again.
    if ((await currentVersion(directory)) === version) return null;
  }
  return null;
}
