import { relative } from "node:path";

import { type CacheEntry, readCacheIndex, withEntry, writeCacheIndex } from "#agent/cache/cache-index.ts";
import { dependencyKey } from "#agent/run/cache/dependency-key.ts";
import { type Manifests, readManifests } from "#agent/run/cache/read-manifests.ts";
import { newPaths, type Survey, surveyRelease } from "#agent/cache/survey-release.ts";
import { projectEnvironment } from "#build/commands/environment.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { branchKey, findBranchEntry } from "#agent/run/cache/branch-entry.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import { restoreEntry, storeEntry } from "#agent/run/cache/copy-entry.ts";
import type { BuildTools } from "#agent/run/tools/provide-tools.ts";
import { projectUser } from "#agent/isolation/project-user.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import {
  commandAfterRestore,
  type InstallStep,
  planInstallSteps,
} from "#project-files/frameworks/install-steps.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** An installation whose files can be kept. `survey`: the release before it. `rest`: what runs after a restore. */
export type KeptInstallation = {
  readonly key: string;
  readonly survey: Survey;
  readonly rest: string | null;
  readonly lockFile: string;
};

/**
 * Decides whether the files that the install command makes can be kept, and by which key. Logs why not.
 * @param release the real path
 */
export async function planKeptInstallation(
  scope: RunScope,
  { installRoot, tools }: BuildPlan,
  release: string,
  command: string,
  signal: AbortSignal,
): Promise<KeptInstallation | null> {
  if ((await cacheLimit(scope.context)) === 0) return null;
  const survey = await surveyRelease(release, signal);
  if (signal.aborted) return null;
  const folder = relative(release, installRoot) || ".";
  const decided = await decide(scope, release, survey, folder, command, tools).catch((error: unknown) => ({
    ok: false as const,
    reason: messageOf(error),
  }));
  if (decided.ok) return decided.value;
  scope.log.system("install", `the dependencies are not kept for later deployments: ${decided.reason}`);
  return null;
}

async function decide(
  scope: RunScope,
  release: string,
  survey: Survey,
  folder: string,
  command: string,
  tools: BuildTools,
): Promise<ResultOf<KeptInstallation, { readonly reason: string }>> {
  const lockFiles = foldersFrom(folder);
  const hasFile = (name: string) => lockFiles.some((one) => survey.paths.has(`${one}${name}`));
  const plan = planInstallSteps(command, hasFile);
  if (plan.kind === "not_kept") return { ok: false, reason: plan.reason };
  const read = await readManifests(release, survey);
  if (!read.ok) return read;
  const manifests = read.value;
  const copied = manifests.copiedFolder ?? copiedFolder(manifests, plan.steps);
  if (copied !== null)
    return { ok: false, reason: `\`${copied}\` depends on a folder of the repository, which is copied` };
  const { context, order, variables } = scope;
  const env = projectEnvironment(
    context.environment,
    order.run_id,
    projectUser(scope.context, scope.folder),
    variables.build,
    tools.folders,
  );
  const key = await dependencyKey({
    ...{ digest: manifests.digest, command, folder, variables: variables.build },
    path: env["PATH"] ?? USUAL_PATH,
  });
  const scripts = manifests.scripts.get(folder) ?? new Set();
  const isAlone = [...manifests.scripts.keys()].every((one) => one === folder);
  const mayIgnore =
    manifests.mayIgnoreScripts || Object.keys(variables.build).some((name) => /ignore_?scripts/i.test(name));
  const rest = commandAfterRestore(plan.steps, scripts, isAlone && (scripts.size === 0 || !mayIgnore));
  const lockFile = plan.steps.flatMap((step) => step.lockFiles).find(hasFile) ?? "";
  return succeed({ key, survey, rest, lockFile });
}

/** A folder of a release and those above it, as beginnings of paths. */
function foldersFrom(folder: string): readonly string[] {
  const parts = folder === "." ? [] : folder.split("/");
  return ["", ...parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`)];
}

/** A manifest whose packages contain copies of folders that do not count in the key; null if there is none. */
function copiedFolder(manifests: Manifests, steps: readonly InstallStep[]): string | null {
  const isCopied = steps.some(
    ({ command }) =>
      /(?:^| )(?:pnpm|yarn|bun)[ @]/.test(command) ||
      (/(?:^| )npm[ @]/.test(command) && (manifests.isCopiedByNpm || command.includes(" --install-links"))),
  );
  return isCopied ? manifests.folderDependency : null;
}

const NONE_FITS =
  "none of the kept dependencies are restored: they are of another branch, or a lock file, a manifest, the install command, a variable or a tool has changed";

/** Copies the files of an earlier, equal installation into the release. @returns the entry, or null if there is none */
export async function restoreDependencies(
  scope: RunScope,
  release: string,
  { key, lockFile, rest }: KeptInstallation,
  signal: AbortSignal,
): Promise<CacheEntry | null> {
  const { folder, log, order } = scope;
  const entries = await readCacheIndex(folder);
  const entry = findBranchEntry(order, entries, "dependencies", [key]);
  if (entry === null) {
    if (entries.some(({ kind }) => kind === "dependencies")) log.system("install", NONE_FITS);
    return null;
  }
  const copied = await restoreEntry(scope, {
    name: "restoreDependencies",
    stage: "install",
    entry,
    release,
    signal,
  });
  if (copied.kind === "failed") {
    log.system("install", `the kept dependencies cannot be restored: ${copied.reason}`);
    return null;
  }
  const skipped = rest === null ? ", so nothing is installed" : "";
  log.system(
    "install",
    `restored the dependencies of release ${entry.version} (${copied.what}): ${lockFile} is unchanged${skipped}`,
  );
  await noteEntries(scope, withEntry(entries, { ...entry, used_by: order.version }));
  return entry;
}

/** Keeps what the installation made. Called before the build, so that a build cannot change what others get. */
export async function storeDependencies(
  scope: RunScope,
  release: string,
  { key, survey }: KeptInstallation,
  signal: AbortSignal,
): Promise<void> {
  const after = await surveyRelease(release, signal, survey);
  const paths = newPaths(survey, after);
  // Without a part of what was installed, a copy would not be the same.
  if (signal.aborted || !after.isComplete || paths.length === 0) return;
  await storeEntry(scope, {
    ...{ name: "storeDependencies", stage: "install", kind: "dependencies", what: "the dependencies" },
    ...{ key: branchKey(scope.order.source.branch, [key]), paths, release, signal },
  });
}

/** Removes an entry from the list, because the command that ran after its restore has failed. */
export async function dropEntry(scope: RunScope, entry: CacheEntry): Promise<void> {
  const entries = await readCacheIndex(scope.folder);
  await noteEntries(
    scope,
    entries.filter(({ name }) => name !== entry.name),
  );
}

/** Writes the list. On a full disk it stays as it was, which no deployment must fail for. */
async function noteEntries({ folder, log }: RunScope, entries: readonly CacheEntry[]): Promise<void> {
  await writeCacheIndex(folder, entries).catch((error: unknown) =>
    log.system("install", `the list of kept dependencies cannot be written: ${messageOf(error)}`),
  );
}
