import { realpath } from "node:fs/promises";

import { projectEnvironment } from "#agent/commands/environment.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { shellCommand } from "#agent/commands/shell.ts";
import { checkBuildCommand } from "#agent/policy/check-policy.ts";
import { killProcessesOfRun } from "#agent/process/process-table.ts";
import { refuseLeavingLinks } from "#agent/run/build/check-links.ts";
import { findMissingTool } from "#agent/run/build/find-missing-tool.ts";
import { linkExistingPaths, linkSharedPaths } from "#agent/run/build/link-shared-paths.ts";
import { planBuild } from "#agent/run/build/plan-build.ts";
import { describeEnd, runCommand, stepAfterCommand } from "#agent/run/step/run-command.ts";
import { projectUser, type RunScope } from "#agent/run/step/run-scope.ts";
import { startLimit } from "#agent/run/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/run/step/step.ts";
import { folderInside, type InsideCheck } from "#agent/workspace/inside-release.ts";
import { moveCopiesBack } from "#agent/workspace/shared-paths.ts";
import { type Release, releasePath, writeRelease } from "#agent/workspace/releases.ts";
import { succeed } from "#contract/lib/result.ts";

/** Turns the files in `releases/<version>` into a complete release: build command, shared paths, record. */
export async function buildRelease(
  scope: RunScope,
  commit: { readonly sha: string; readonly message: string },
): Promise<Step<Release>> {
  const { order, folder, journal, reporter } = scope;
  journal.record({ stage: "build" });
  const path = releasePath(folder, order.version);
  const root = await folderInside(path, order.root_directory);
  if (root.kind !== "inside") {
    reporter.report({ type: "stage", stage: "build" }, "patient");
    return directoryFailure("root", order.root_directory, root);
  }
  const { build_command, output_directory } = await planBuild(scope, await realpath(path), root.path);
  reporter.report({ type: "stage", stage: "build" }, build_command === null ? "patient" : "urgent");
  // Checked here too, because a preset's command is known only now.
  const refusal = checkBuildCommand(scope.context.policy, build_command);
  if (refusal !== null) return fail("refused_by_policy", "build", refusal);
  // A command in the project's settings may install the tool that it needs.
  if (build_command !== null && order.build_command === undefined) {
    const missing = await findMissingTool(build_command, scope.context.environment["PATH"]);
    if (missing !== null) return fail("build_failed", "build", missing);
  }
  const existing = await linkExistingPaths(scope, path);
  if (!existing.ok) return existing;
  if (build_command !== null) {
    const built = await runBuild(scope, build_command, root.path, commit.sha);
    if (!built.ok) return built;
  }
  const output = await folderInside(path, `${order.root_directory}/${output_directory}`);
  if (output.kind !== "inside") return directoryFailure("output", output_directory, output);

  const linked = await linkSharedPaths(scope, path, existing.value);
  if (!linked.ok) return linked;
  // Checked after the last command and the shared paths, so that what is checked is what will be served.
  const places = { version: order.version, root_directory: order.root_directory, output_directory };
  const limit = startLimit(order.timeouts.build_seconds, scope.interrupt);
  const { home } = scope.context;
  const leaving = await refuseLeavingLinks(home, folder, places, limit.signal, linked.value);
  limit.clear();
  if (leaving !== null) await moveCopiesBack(path, folder.shared, linked.value);
  if (scope.interrupt.signal.aborted) return interrupted;
  if (leaving !== null) return fail("build_failed", "build", scope.mask(leaving));
  const release: Release = {
    version: order.version,
    repository: scope.mask(order.source.repository),
    commit_sha: commit.sha,
    commit_message: commit.message,
    branch: order.source.branch,
    project_name: order.project_name,
    root_directory: order.root_directory,
    output_directory,
    activate_command: order.activate_command,
    ...(order.limits === undefined ? {} : { limits: order.limits }),
    links_checked: true,
  };
  await writeRelease(folder, release);
  return succeed(release);
}

async function runBuild(scope: RunScope, line: string, cwd: string, commitSha: string): Promise<Step<null>> {
  const { order, context, folder } = scope;
  scope.log.system("build", `running ${line}`);
  const startedAt = context.clock.monotonic();
  const limit = startLimit(order.timeouts.build_seconds, scope.interrupt);
  const environment = projectEnvironment(
    context.environment,
    order.run_id,
    projectUser(scope),
    scope.variables.build,
  );
  const command = shellCommand(line, cwd, environment, {
    releases: folder.releases,
    projectName: order.project_name,
    version: order.version,
    commitSha,
    branch: order.source.branch,
  });
  const ran = await runCommand(scope, command, {
    stage: "build",
    signal: limit.signal,
    leftovers: "kill",
    stdout: "log",
    unit: {
      kind: "build",
      version: order.version,
      limits: unitLimits("build", scope.limits ?? {}, context.policy),
    },
  });
  limit.clear();
  // A daemon leaves its process group when it starts, and would continue to write into the finished release.
  await killProcessesOfRun(order.run_id);
  const ms = Math.round(context.clock.monotonic() - startedAt);
  scope.log.system("build", `the build command ${describeEnd(ran.end)} (${ms} ms)`);
  return stepAfterCommand(scope, "build", ran, limit);
}

function directoryFailure(
  what: "root" | "output",
  name: string,
  check: Exclude<InsideCheck, { kind: "inside" }>,
): Step<never> {
  const why = {
    missing: what === "root" ? "is not in the repository" : "does not exist after the build",
    not_a_folder: "is not a folder",
    outside: "leads out of the release through a symbolic link",
  }[check.kind];
  return fail("build_failed", "build", `the ${what} directory \`${name}\` ${why}`);
}
