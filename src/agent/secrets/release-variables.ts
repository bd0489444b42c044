import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { RunVariables } from "#contract/agent-order.ts";
import { storedAs } from "#contract/stored.ts";
import { hasCode } from "#node/has-code.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { listReleases } from "#agent/workspace/releases.ts";

/**
 * The variables that a release was last live with, `variables/<version>.json`. Secrets stay sealed in it. They are opened
 * when the release's activate command runs again without an order, so that it works without the control plane.
 */
function variablesPath({ variables }: ProjectFolder, version: number): string {
  return join(variables, `${version}.json`);
}

/** @returns `null` when the release was never live */
export async function readReleaseVariables(
  folder: ProjectFolder,
  version: number,
): Promise<RunVariables | null> {
  return readJsonFile(variablesPath(folder, version), storedVariables);
}

/**
 * As `readReleaseVariables`, for what runs with the variables: without them an app could start with other settings, or
 * show the values of secrets.
 * @throws when they exist and cannot be read
 */
export async function requireReleaseVariables(
  folder: ProjectFolder,
  version: number,
): Promise<RunVariables | null> {
  try {
    return storedVariables.parse(JSON.parse(await readFile(variablesPath(folder, version), "utf8")));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** A revision that a release was live with: of the variables as a whole, and of each secret. */
const storedVariables = storedAs(RunVariables);

const LiveRevision = z.object({ revision: z.int(), secrets: z.array(z.tuple([z.string(), z.int()])) });
type LiveRevision = z.infer<typeof LiveRevision>;

/** The variables that a release was live with before, `variables/<version>.earlier.json`, the oldest first. */
const EarlierRevisions = z.array(LiveRevision);
const storedRevisions = storedAs(EarlierRevisions);
const MAX_EARLIER_REVISIONS = 100;

function earlierPath({ variables }: ProjectFolder, version: number): string {
  return join(variables, `${version}.earlier.json`);
}

/** All revisions that a release was live with: after its deployment and after each rollback to it. */
export async function readLiveRevisions(
  folder: ProjectFolder,
  version: number,
): Promise<readonly LiveRevision[]> {
  const last = await readReleaseVariables(folder, version);
  const earlier = (await readJsonFile(earlierPath(folder, version), storedRevisions)) ?? [];
  if (last === null) return earlier;
  const { revision } = last;
  const secrets = last.secrets.map((secret): LiveRevision["secrets"][number] => [
    secret.name,
    secret.revision,
  ]);
  return [...earlier.filter((one) => one.revision !== revision), { revision, secrets }];
}

/** Stores the variables that a release is about to get, beside the variables that it was last live with. */
export async function prepareReleaseVariables(
  folder: ProjectFolder,
  version: number,
  variables: RunVariables | undefined,
): Promise<void> {
  if (variables === undefined) return;
  await mkdir(folder.variables, { recursive: true, mode: 0o700 });
  const live = await readLiveRevisions(folder, version);
  if (live.length > 0) {
    const revisions = JSON.stringify(live.slice(-MAX_EARLIER_REVISIONS));
    await writeAtomic(earlierPath(folder, version), `${revisions}\n`, { mode: 0o600, flush: true });
  }
  const text = `${JSON.stringify(variables)}\n`;
  await writeAtomic(`${variablesPath(folder, version)}.next`, text, { mode: 0o600, flush: true });
}

/** Makes the prepared variables the release's variables, once it is live. A rename needs no space on the disk. */
export async function commitReleaseVariables(folder: ProjectFolder, version: number): Promise<void> {
  const path = variablesPath(folder, version);
  await rename(`${path}.next`, path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}

/**
 * Removes the variables of releases that no longer exist. Never throws: remaining files are removed after the next run.
 */
export async function tidyReleaseVariables(folder: ProjectFolder): Promise<void> {
  try {
    const { complete } = await listReleases(folder);
    const kept = new Set(complete.flatMap((version) => [`${version}.json`, `${version}.earlier.json`]));
    for (const name of await readdir(folder.variables))
      if (!kept.has(name)) await rm(join(folder.variables, name), { force: true });
  } catch {
    // Most projects have none.
  }
}
