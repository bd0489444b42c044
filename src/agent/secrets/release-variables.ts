import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { RunVariables } from "#contract/agent-order.ts";
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

/** @returns `null` when the release was never live, or an earlier agent put it live */
export async function readReleaseVariables(
  folder: ProjectFolder,
  version: number,
): Promise<RunVariables | null> {
  return readJsonFile(variablesPath(folder, version), RunVariables);
}

/** Stores the variables that a release is about to get, beside those that it was last live with. */
export async function prepareReleaseVariables(
  folder: ProjectFolder,
  version: number,
  variables: RunVariables | undefined,
): Promise<void> {
  if (variables === undefined) return;
  await mkdir(folder.variables, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(variables)}\n`;
  await writeAtomic(`${variablesPath(folder, version)}.next`, text, { mode: 0o600, flush: true });
}

/** Makes the prepared variables those of the release, once it is live. A rename needs no space on the disk. */
export async function commitReleaseVariables(folder: ProjectFolder, version: number): Promise<void> {
  const path = variablesPath(folder, version);
  await rename(`${path}.next`, path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}

/** Removes the variables of releases that no longer exist. Never throws: what is left is removed after the next run. */
export async function tidyReleaseVariables(folder: ProjectFolder): Promise<void> {
  try {
    const { complete } = await listReleases(folder);
    const kept = new Set(complete.map((version) => `${version}.json`));
    for (const name of await readdir(folder.variables))
      if (!kept.has(name)) await rm(join(folder.variables, name), { force: true });
  } catch {
    // Most projects have none.
  }
}
