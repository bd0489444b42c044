import { installVariables, projectEnvironment } from "#build/commands/environment.ts";
import { enginePlace } from "#agent/containers/engine-script.ts";
import { jobContainer } from "#agent/containers/run-script.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import { releaseVariables, shellCommand } from "#build/commands/shell.ts";
import type { Command } from "#build/process/command.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { killProcessesOfRun } from "#build/process/process-table.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import { runCommand, stepAfterCommand } from "#agent/step/run-command.ts";
import { projectUser } from "#agent/isolation/project-user.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { timeoutName } from "#contract/stages.ts";

/**
 * `unit`: the place of each command in the name of its unit, because the unit of an earlier command of the run may
 * still exist. `variables`: the variables that the command gets.
 */
const commands = {
  install: { unit: 1, variables: "build" },
  build: { unit: 2, variables: "build" },
  release: { unit: 9, variables: "activate" },
} as const;

/**
 * Where a command runs: in `folder` of the release, or in the container of its image. `isPreset`: it installs as a preset says. `toolFolders`: first on its
 * PATH. `spentMs`: how much of its time the stage has used before.
 */
export type CommandPlace = {
  readonly release: string;
  readonly folder: string;
  readonly commitSha: string;
  readonly isPreset: boolean;
  readonly toolFolders: readonly string[];
  readonly spentMs: number;
  readonly image?: ReleaseImage | undefined;
};

/**
 * Runs the install, the build or the release command in the new release, with the time limit of its stage. No process of
 * it stays.
 */
export async function runBuildCommand(
  scope: RunScope,
  stage: keyof typeof commands,
  line: string,
  place: CommandPlace,
): Promise<Step<null>> {
  const { release, folder, spentMs } = place;
  const { order, context } = scope;
  const { unit } = commands[stage];
  scope.log.system(stage, `running ${line}`);
  const startedAt = context.clock.monotonic();
  const limit = startLimit(order.timeouts[timeoutName(stage)], scope.interrupt, spentMs);
  const found = commandAt(scope, stage, line, place);
  if (!found.ok) return fail(`${stage}_failed`, stage, found.reason);
  const command = found.value;
  const limits = unitLimits("build", scope.limits ?? {}, context.policy);
  const ran = await runCommand(scope, command, {
    stage,
    signal: limit.signal,
    leftovers: "kill",
    stdout: "log",
    unit: { kind: "build", version: order.version, number: unit, limits },
  });
  limit.clear();
  // A daemon leaves its process group when it starts, and would continue to write into the finished release.
  await killProcessesOfRun(order.run_id);
  const ms = Math.round(context.clock.monotonic() - startedAt);
  scope.log.system(stage, `the ${stage} command ${describeEnd(ran.end)} (${ms} ms)`);
  return stepAfterCommand(scope, stage, ran, limit, { release, folder });
}

function commandAt(
  { order, context, folder, variables }: RunScope,
  stage: keyof typeof commands,
  line: string,
  { release, folder: cwd, commitSha, isPreset, toolFolders, image }: CommandPlace,
): ResultOf<Command, { readonly reason: string }> {
  const facts = {
    projectName: order.project_name,
    version: order.version,
    commitSha,
    branch: order.source.branch,
  };
  const own = variables[commands[stage].variables];
  if (image !== undefined)
    return jobContainer(enginePlace(context, folder), {
      ...{ image, name: order.run_id, line, sharedPaths: image.shared_paths },
      variables: { ...own, ...releaseVariables(facts) },
    });
  const environment = projectEnvironment(
    context.environment,
    order.run_id,
    projectUser(context, folder),
    isPreset ? installVariables(own) : own,
    toolFolders,
  );
  return succeed(shellCommand(line, cwd, environment, { release, ...facts }));
}
