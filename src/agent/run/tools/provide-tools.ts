import { readdir } from "node:fs/promises";

import { describeMissing } from "#build/tools/describe-tool.ts";
import { findMissingProgram } from "#build/tools/find-tool-problems.ts";
import { installAdvice } from "#build/tools/install-advice.ts";
import { lacksVenv, VENV } from "#build/tools/lacks-venv.ts";
import { readToolRequests } from "#build/tools/read-tool-requests.ts";
import { provideTool, type ToolChoice } from "#agent/run/tools/provide-tool.ts";
import { createToolRunner } from "#agent/run/tools/tool-runner.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { startLimit } from "#agent/run/step/stage-limit.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import { programsOf } from "#contract/frameworks/tools/command-tools.ts";
import { type ChosenCommands, toolNeeds } from "#contract/frameworks/tools/tool-needs.ts";
import { succeed } from "#contract/lib/result.ts";
import { timeoutName } from "#contract/stages.ts";

/** The tools of a run. `spentMs`: the time of the first stage that their installation took. */
export type BuildTools = {
  readonly tools: readonly ToolChoice[];
  /** What comes first on the PATH of the project's commands. */
  readonly folders: readonly string[];
  readonly spentMs: number;
  /** Whether the first stage was reported, because a tool was installed. */
  readonly hasBegun: boolean;
};

/**
 * Gets the tools that the commands of a project need, in the versions that its repository asks for, within the time of
 * the first stage. Fails before any command runs if a preset needs a tool that the server neither has nor can install.
 * @param release the real path of the release
 * @param root the real path of the project's root directory
 */
export async function provideTools(
  scope: RunScope,
  stage: "install" | "build",
  commands: ChosenCommands,
  { release, root }: { readonly release: string; readonly root: string },
): Promise<Step<BuildTools>> {
  const { order, context, interrupt } = scope;
  const needs = toolNeeds(commands, await readToolRequests(release, root));
  const names = await readdir(root);
  const startedAt = context.clock.monotonic();
  const limit = startLimit(order.timeouts[timeoutName(stage)], interrupt);
  let hasBegun = false;
  // The time of the control plane for the fetch stage may be shorter than an installation.
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    scope.journal.record({ stage });
    scope.reporter.report({ type: "stage", stage }, "urgent");
  };
  try {
    const tools: ToolChoice[] = [];
    const folders: string[] = [];
    for (const need of needs) {
      const runner = createToolRunner(scope, stage, limit, folders, begin);
      const chosen = await provideTool(runner, need, names);
      if (!chosen.ok) return chosen;
      tools.push(chosen.value);
      folders.unshift(...(chosen.value.provided?.folders ?? []));
    }
    const { path } = createToolRunner(scope, stage, limit, folders, begin);
    const missing = await findMissingProgram(commands.preset.flatMap(programsOf), path);
    if (missing !== null) {
      const advice = await installAdvice({
        ...{ program: missing, tool: null, requests: [], origin: context.connection.url, hasMise: false },
      });
      const message = describeMissing(missing, [], names, "this server");
      return fail("tool_missing", stage, message, undefined, advice);
    }
    if (await lacksVenv(commands.preset, path)) {
      const advice = await installAdvice({
        ...{ program: "python3", tool: null, requests: [], origin: context.connection.url, hasMise: false },
      });
      return fail("tool_missing", stage, describeMissing(VENV, [], names, "this server"), undefined, advice);
    }
    return succeed({ tools, folders, spentMs: context.clock.monotonic() - startedAt, hasBegun });
  } finally {
    limit.clear();
  }
}
