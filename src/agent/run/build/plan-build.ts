import { realpath } from "node:fs/promises";
import { join } from "node:path";

import { checkBuildCommands, checkCron, checkReleaseCommand } from "#agent/policy/check-commands.ts";
import { checkContainers, checkImageBuild } from "#agent/policy/check-containers.ts";
import { isOnlyBuilder } from "#agent/workspace/artifact-task.ts";
import { jobsHere } from "#agent/workspace/place.ts";
import { rootFailure } from "#build/failure/directory-failure.ts";
import { type BuildChoice, chooseBuild, commandsOf } from "#build/choose-build.ts";
import { dockerfileOf } from "#build/choose-image.ts";
import { choosePrebuilt } from "#build/choose-prebuilt.ts";
import { describeChoice, startAdvice } from "#build/describe-choice.ts";
import { type BuildTools, provideTools } from "#agent/run/tools/provide-tools.ts";
import { linkExistingPaths } from "#agent/run/build/link-shared-paths.ts";
import { releaseCommandOf } from "#agent/run/activate/release-stage.ts";
import { findBuildCaches } from "#agent/run/cache/build-caches.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { fail, failWith, type Step } from "#agent/step/step.ts";
import { listFolders } from "#build/tree/find-output.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { readRepository } from "#build/tree/read-repository.ts";
import { readTree } from "#build/tree/read-tree.ts";
import { type BuiltRelease, releasePath } from "#agent/workspace/releases.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { succeed } from "#contract/lib/result.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";

/** How a fetched commit becomes a release. */
export type BuildPlan = DetectedPreset & {
  /** What was decided from the files. The command of an image is added after its build. */
  readonly choice: BuildChoice;
  /** The folders at the top of the root directory, before the commands run. */
  readonly foldersBefore: ReadonlySet<string>;
  readonly commitSha: string;
  readonly commitMessage: string;
  /** The hash of the commit's files; null if they are a build of another machine. */
  readonly treeSha: string | null;
  /** The release's folder. */
  readonly release: string;
  /** The real path of the root directory, in which the build command runs. */
  readonly root: string;
  /** The real path of the folder in which the install command runs: the root directory, or its workspace's root. */
  readonly installRoot: string;
  /** The shared paths that are linked before the commands run. */
  readonly linked: ReadonlySet<string>;
  /** The folders that are kept for the next build, relative to the release. */
  readonly buildCaches: readonly string[];
  readonly tools: BuildTools;
};

/** A build that was made elsewhere. `release`: what its builder decided; null: the files decide. */
export type TakenBuild = { readonly release: BuiltRelease | null };

/**
 * Decides how the fetched files are built: from the project's settings, and otherwise from the framework's preset.
 * Detects the framework when the project names none. Fails if the root directory, the policy or a missing tool does not
 * allow the build. Gets the tools in the versions that the repository asks for, and links the shared paths that exist,
 * so that the commands see both.
 * @param taken the files are a build that was made elsewhere, so no command runs in it any more
 */
export async function planBuild(
  scope: RunScope,
  commit: { readonly sha: string; readonly message: string; readonly tree?: string },
  taken: TakenBuild | null = null,
): Promise<Step<BuildPlan>> {
  const { order, folder, context } = scope;
  const release = releasePath(folder, order.version);
  const root = await folderInside(release, order.root_directory);
  if (root.kind !== "inside") return failWith(rootFailure(order.root_directory, root));
  const realRelease = await realpath(release);
  const files = await readRepository(root.path);
  if (!files.ok) return fail("build_failed", "build", files.problem.message, undefined, files.problem.hint);
  const read = await readTree(realRelease, root.path, dockerfileOf(order, files.value.build).path);
  if (!read.ok) return fail("build_failed", "build", read.problem.message, undefined, read.problem.hint);
  const isPrebuilt = isImageRepository(order.source.repository);
  const chosen = isPrebuilt ? choosePrebuilt(order) : chooseBuild(read.value.tree, files.value, order);
  const choice = taken === null ? chosen : choiceOfTaken(chosen, taken);
  const { plan, firstStage: stage } = choice;
  // After a build, the files may look like something else. Its builder has reported what they are.
  if (taken === null || taken.release === null) {
    scope.reporter.report({ type: "framework", preset: chosen.preset }, "patient");
    const lines = isPrebuilt ? [] : [...read.value.notes, ...describeChoice(choice)];
    for (const line of lines) scope.log.system(stage, line);
    const advice = isPrebuilt ? null : startAdvice(choice);
    if (advice !== null) scope.log.system(stage, advice);
  }
  // Checked here too, because a preset's commands are known only now.
  const releaseLine = releaseCommandOf(order, choice.releaseCommand?.command);
  const isOnlyBuilt = isOnlyBuilder(order);
  const releaseFrom = order.release_command === null ? "repository" : "settings";
  const isImage = choice.image !== null;
  const refusal =
    (isPrebuilt ? checkContainers(context.policy) : isImage ? checkImageBuild(context.policy) : null) ??
    checkBuildCommands(context.policy, plan, choice.presetCommands) ??
    (isOnlyBuilt
      ? null
      : (checkReleaseCommand(context.policy, releaseLine, releaseFrom) ??
        checkCron(context.policy, jobsHere(order.place ?? null, choice.cron, order.cron))));
  if (refusal !== null) return fail("refused_by_policy", stage, refusal);
  const { problem } = choice;
  if (problem !== null) return fail("build_failed", stage, problem.message, undefined, problem.hint);
  if (isImage && context.engine.kind === "missing")
    return fail(
      "containers_missing",
      stage,
      "this server cannot run containers",
      undefined,
      context.engine.reason,
    );
  const started = [
    order.release_command ?? null,
    order.activate_command,
    ...Object.values(order.processes).map(({ command }) => command ?? null),
    ...order.cron.map(({ command }) => command),
  ];
  const commands = isOnlyBuilt
    ? commandsOf({ ...choice, processes: [], cron: [], releaseCommand: null })
    : commandsOf(choice, started);
  const where = { release: realRelease, root: root.path };
  // The image has the tools.
  const tools = isImage ? succeed(noTools) : await provideTools(scope, stage, commands, where);
  if (!tools.ok) return tools;
  // A build of an image would copy the links.
  const linked = isImage ? succeed(new Set<string>()) : await linkExistingPaths(scope, release, stage);
  if (!linked.ok) return linked;
  const { sha: commitSha, message: commitMessage } = commit;
  const buildCaches = await findBuildCaches(plan.framework, realRelease, root.path);
  const installRoot = choice.installFolder === null ? root.path : join(realRelease, choice.installFolder);
  const folders = { release, root: root.path, installRoot, linked: linked.value };
  // Of a build that was made elsewhere, nobody knows which folders it has made.
  const foldersBefore = taken === null ? await listFolders(root.path) : new Set<string>();
  const places = { ...folders, buildCaches, tools: tools.value, foldersBefore };
  const of = { commitSha, commitMessage, treeSha: commit.tree ?? null };
  return succeed({ ...plan, ...of, choice, ...places });
}

const noTools: BuildTools = { folders: [], languages: {}, spentMs: 0, hasBegun: false };

/** A choice without the commands that ran elsewhere, and with what the builder decided. */
function choiceOfTaken(choice: BuildChoice, { release }: TakenBuild): BuildChoice {
  const plan = { ...choice.plan, install_command: null, build_command: null };
  const taken: BuildChoice = { ...choice, plan, firstStage: "build", presetCommands: [] };
  if (release === null) return taken;
  const { processes = {}, cron = [], release_command: command, published } = release;
  return {
    ...taken,
    problem: null,
    isPublished: published !== false,
    findsOutput: false,
    processes: Object.entries(processes).map(([name, definition]) => ({ name, definition, from: "preset" })),
    cron,
    releaseCommand: command === undefined ? null : { command, from: GANTRY_JSON },
  };
}
