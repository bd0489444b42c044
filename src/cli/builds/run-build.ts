import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

import type { ImageChoice } from "#build/choose-image.ts";
import { installVariables } from "#build/commands/environment.ts";
import { describeChoice, startAdvice } from "#build/describe-choice.ts";
import { outputFailure } from "#build/failure/directory-failure.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { hides } from "#build/site-rules/source-files.ts";
import { missingParts } from "#build/tree/missing-parts.ts";
import { describeCustomRules } from "#build/site-rules/describe-custom-rules.ts";
import { readCustomRules } from "#build/site-rules/read-custom-rules.ts";
import { checkLinks } from "#build/tree/check-links.ts";
import { checkSite } from "#build/tree/check-site.ts";
import { findOutput, listFolders, noOutput } from "#build/tree/find-output.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { BuildLog } from "#cli/builds/build-log.ts";
import { imageCommand } from "#cli/builds/image-command.ts";
import { localAdvice } from "#cli/builds/local-advice.ts";
import { localToolProblems } from "#cli/builds/local-tool-problems.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";
import { type EarlyEnd, runStage, type StageScope } from "#cli/builds/run-stage.ts";
import type { CommandContext } from "#cli/context.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { attempt } from "#node/attempt.ts";
import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/** `output`: the folder to publish, or the name of the image. */
type Checked = EarlyEnd | { readonly kind: "succeeded"; readonly output: string };

/** The end of a build, and the times of its stages. */
export type BuildEnd = Checked & { readonly times: readonly StageTime[] };

/**
 * Builds a project on this machine with the commands, the environment and the checks of a deployment. @param variables
 * the variables that builds get
 */
export async function runBuild(
  { environment, signal }: Pick<CommandContext, "environment" | "signal">,
  build: LocalBuild,
  variables: Readonly<Record<string, string>>,
  log: BuildLog,
): Promise<BuildEnd> {
  const { plan, firstStage, problem } = build.choice;
  for (const line of [...build.notes, ...describeChoice(build.choice)]) log.system(firstStage, line);
  const advice = startAdvice(build.choice);
  if (advice !== null) log.system(firstStage, advice);
  const failEarly = (failure: DeploymentFailure): BuildEnd => ({ kind: "failed", failure, times: [] });
  if (problem !== null)
    return failEarly(makeFailure("build_failed", firstStage, problem.message, undefined, problem.hint));
  const scope = stageScope(build, { log, environment, variables, signal });
  if (build.choice.image !== null) return await runImageBuild(build, build.choice.image, scope);
  for (const tool of await localToolProblems(environment, build)) {
    const { kind, message } = tool;
    if (kind === "missing")
      return failEarly(makeFailure("tool_missing", firstStage, message, undefined, await localAdvice(tool)));
    log.system(firstStage, message);
  }
  const scopes = { install: installScope(build, scope), build: scope };
  const times: StageTime[] = [];
  const before = await listFolders(build.root);
  for (const [stage, line] of [
    ["install", plan.install_command],
    ["build", plan.build_command],
  ] as const) {
    if (line === null) continue;
    const startedAt = performance.now();
    const ended = await runStage(scopes[stage], stage, line);
    times.push({ stage, duration: Math.round(performance.now() - startedAt) / 1000 });
    if (ended.kind !== "succeeded") return { ...ended, times };
  }
  return { ...(await checkResult(build, { log, before }, signal)), times };
}

/** Builds the image with the engine of this machine. Its log and its failure belong to the stage `build`. */
async function runImageBuild(build: LocalBuild, image: ImageChoice, scope: StageScope): Promise<BuildEnd> {
  const command = await imageCommand(build, image, scope.variables, scope.environment);
  if (!command.ok) return { kind: "failed", failure: command.failure, times: [] };
  const startedAt = performance.now();
  const ended = await runStage(scope, "build", command.value.line);
  const times = [{ stage: "build", duration: Math.round(performance.now() - startedAt) / 1000 } as const];
  return ended.kind === "succeeded"
    ? { kind: "succeeded", output: command.value.tag, times }
    : { ...ended, times };
}

function stageScope(
  { source, project, release, root }: LocalBuild,
  rest: Pick<StageScope, "log" | "environment" | "variables" | "signal">,
): StageScope {
  const { top, commit } = source;
  return {
    ...rest,
    root,
    facts: {
      release,
      projectName: project?.project.name ?? basename(top),
      // No deployment has this version.
      version: 0,
      commitSha: commit?.sha ?? "",
      branch: commit?.branch ?? "",
    },
    marker: `local_${randomUUID()}`,
    timeouts: project?.project.timeouts ?? defaultTimeouts,
  };
}

/** As a deployment, a preset installs in the folder of its workspace, and without `NODE_ENV`. */
function installScope({ release, root, choice }: LocalBuild, scope: StageScope): StageScope {
  if (!choice.isPresetInstall) return scope;
  const { installFolder: folder } = choice;
  const variables = installVariables(scope.variables);
  return { ...scope, variables, root: folder === null ? root : join(release, folder) };
}

/** Checks what a deployment would refuse before it publishes the output directory. */
async function checkResult(
  { release, root, rootDirectory, choice }: LocalBuild,
  { log, before }: { readonly log: BuildLog; readonly before: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<Checked> {
  const found = choice.findsOutput
    ? await findOutput(root, before, choice.plan.output_directory)
    : { kind: "found" as const, folder: choice.plan.output_directory };
  if (found.kind === "missing") return { kind: "failed", failure: noOutput(found) };
  const output_directory = found.folder;
  const output = await folderInside(release, `${rootDirectory}/${output_directory}`);
  if (output.kind !== "inside")
    return { kind: "failed", failure: await outputFailure(output_directory, output, root) };
  const noSite =
    choice.isPublished && !choice.isOutputNamed ? await checkSite(output.path, output_directory, root) : null;
  if (noSite !== null) return { kind: "failed", failure: noSite };
  const linked = {
    release,
    home: attempt(homedir, dirname(release)),
    shared: join(dirname(dirname(release)), "shared"),
    root: rootDirectory,
    output: output_directory,
    copies: [],
    hides: choice.isPublished ? hides({ output_directory }) : null,
  };
  const leaving = await checkLinks(linked, signal);
  if (signal.aborted) return { kind: "interrupted" };
  if (leaving !== null) return { kind: "failed", failure: makeFailure("build_failed", "build", leaving) };
  if (choice.isPublished) {
    const rules = await readCustomRules(output.path, root);
    for (const line of describeCustomRules(rules)) log.system("build", line);
    const parts = await missingParts(output.path, hides({ output_directory }), rules.redirects);
    if (parts !== null) log.system("build", `warning: ${parts}`);
  }
  return { kind: "succeeded", output: output.path };
}
