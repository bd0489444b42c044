import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { ReleaseImage } from "#agent/workspace/release-image.ts";
import { SiteRules } from "#agent/workspace/site-rules.ts";
import { hasCode } from "#node/has-code.ts";
import { discard, putAside, removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { CommitSha, InsidePath } from "#contract/git-names.ts";
import { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { ProcessDefinitions } from "#contract/endpoints/processes/schemas.ts";
import { Limits } from "#contract/endpoints/projects/settings.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { storedAs } from "#contract/stored.ts";

/**
 * The record of a release, `releases/<version>.json`. It is written last: a release folder without a record is
 * incomplete and never used.
 */
export const Release = z.object({
  version: ReleaseVersion,
  /** The address that its commit was fetched from, without a password. */
  repository: z.string(),
  commit_sha: CommitSha,
  commit_message: z.string(),
  branch: z.string(),
  project_name: z.string(),
  root_directory: InsidePath,
  output_directory: InsidePath,
  /** `false`: the app runs as a server, and none of its files are published. */
  published: z.optional(z.literal(false)),
  /** How its files are served. Missing: by the default rules. */
  site_rules: z.optional(SiteRules),
  activate_command: z.nullable(ShellCommand),
  /** The processes that its repository defines. Missing: none. */
  processes: z.optional(ProcessDefinitions),
  /** The jobs that its repository defines. Missing: none. */
  cron: z.optional(z.array(CronJob)),
  /**
   * Whether the settings had no framework and no install, build or release command when it was built, so that the
   * repository decided what runs.
   */
  commands_from: z.enum(["repository", "settings"]),
  /** The release command that its repository defines. Missing: none, or the project has one. */
  release_command: z.optional(ShellCommand),
  limits: Limits,
  /** What its commands run in, if it is an image. */
  image: z.optional(ReleaseImage),
  /** Its files are a build of another machine. */
  taken: z.optional(z.literal(true)),
  /** The folders of the tools that it was built with, for the PATH of its commands. Missing: the server's own tools. */
  tool_folders: z.optional(z.array(z.string())),
});
export type Release = z.infer<typeof Release>;
const storedRelease = storedAs(Release);

/** What the build of a release decides. A server that takes the build from another one gets it with the files. */
export const BuiltRelease = z.pick(Release, {
  root_directory: true,
  output_directory: true,
  published: true,
  site_rules: true,
  processes: true,
  cron: true,
  commands_from: true,
  release_command: true,
  image: true,
});
export type BuiltRelease = z.infer<typeof BuiltRelease>;

export function releasePath(folder: ProjectFolder, version: number): string {
  return join(folder.releases, String(version));
}

function recordPath(folder: ProjectFolder, version: number): string {
  return `${releasePath(folder, version)}.json`;
}

/** @returns `null` when the release does not exist or is incomplete */
export async function readRelease(folder: ProjectFolder, version: number): Promise<Release | null> {
  const names: readonly string[] = await readdir(folder.releases).catch(() => []);
  return names.includes(String(version)) ? readJsonFile(recordPath(folder, version), storedRelease) : null;
}

/** Writes the record, which makes the release complete. It survives a power cut. */
export async function writeRelease(folder: ProjectFolder, release: Release): Promise<void> {
  const text = `${JSON.stringify(release, null, 2)}\n`;
  await writeAtomic(recordPath(folder, release.version), text, { flush: true });
}

/** `complete`: the versions that can be switched to, ascending; `broken`: the names of other files and folders. */
export async function listReleases(
  folder: ProjectFolder,
): Promise<{ readonly complete: readonly number[]; readonly broken: readonly string[] }> {
  const names = new Set(await namesIn(folder.releases));
  const complete: number[] = [];
  const broken: string[] = [];
  for (const name of names) {
    const version = name.endsWith(".json") ? name.slice(0, -".json".length) : name;
    const isComplete = /^[1-9]\d{0,14}$/.test(version) && names.has(version) && names.has(`${version}.json`);
    if (!isComplete) broken.push(name);
    else if (name === version) complete.push(Number(version));
  }
  return { complete: complete.toSorted((a, b) => a - b), broken };
}

/**
 * Deletes a release, or the rest of it. The record is deleted first and the folder is renamed before it is emptied, so
 * that a crash leaves nothing that looks like a release.
 */
export async function removeRelease(folder: ProjectFolder, version: number): Promise<void> {
  await rm(recordPath(folder, version), { force: true });
  await discard(folder, releasePath(folder, version));
}

/**
 * As `removeRelease`, but only renames the folder.
 * @returns its new path, as `putAside`
 */
export async function putReleaseAside(folder: ProjectFolder, version: number): Promise<string | null> {
  await rm(recordPath(folder, version), { force: true });
  return putAside(folder, releasePath(folder, version));
}

/** Deletes incomplete releases of crashes and stopped runs, except the release that `current` points to. */
export async function removeIncomplete(folder: ProjectFolder, current: number | null): Promise<void> {
  const { broken } = await listReleases(folder);
  for (const name of broken) {
    if (name === String(current) || name === `${current}.json`) continue;
    await discard(folder, join(folder.releases, name));
  }
  await removeTree(folder.temp);
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
