import { readdir } from "node:fs/promises";

import { describeMissing } from "#build/tools/describe-tool.ts";
import { findMissing } from "#build/tools/find-missing.ts";
import { installAdvice } from "#build/tools/install-advice.ts";
import { readToolRequests } from "#build/tools/read-tool-requests.ts";
import { provideTool } from "#agent/run/tools/provide-tool.ts";
import { createToolRunner } from "#agent/run/tools/tool-runner.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { programOf } from "#project-files/frameworks/tools/command-tools.ts";
import { type ChosenCommands, toolNeeds } from "#project-files/frameworks/tools/tool-needs.ts";
import { succeed } from "#contract/lib/result.ts";
import { timeoutName } from "#contract/stages.ts";

/** The tools of a run. `languages`: the versions of the languages that it uses, by their programs. `spentMs`: the time of the first stage that their installation took. */
export type BuildTools = {
  /** The folders that come first on the PATH of the project's commands. */
  readonly folders: readonly string[];
  readonly languages: Readonly<Record<string, string>>;
  readonly spentMs: number;
  /** Whether the first stage was reported, because a tool was installed. */
  readonly hasBegun: boolean;
};

/** What a build may depend on: compiled packages, and folders that are named after a version. */
const isLanguage = (program: string): boolean => ["node", "python3", "ruby", "php"].includes(program);

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
  if (commands.preset.length + commands.own.length === 0)
    return succeed({ folders: [], languages: {}, spentMs: 0, hasBegun: false });
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
    const folders: string[] = [];
    for (const need of needs) {
      const runner = createToolRunner(scope, stage, limit, folders, begin);
      const provided = await provideTool(runner, need, names);
      if (!provided.ok) return provided;
      folders.unshift(...(provided.value?.folders ?? []));
    }
    const { path, projectPath } = createToolRunner(scope, stage, limit, folders, begin);
    const [missing] = await findMissing(commands.preset, projectPath, path);
    if (missing !== undefined) {
      const wanted = { program: missing.program, tool: null, requests: [] };
      const advice = await installAdvice({ ...wanted, origin: context.connection.url, hasMise: false });
      const message = describeMissing(missing.name, [], names, "this server");
      return fail("tool_missing", stage, message, undefined, advice);
    }
    const languages: Record<string, string> = {};
    for (const program of needs.map(({ tool }) => programOf(tool)).filter(isLanguage)) {
      const found = await context.tools.find(program, path);
      if (found !== null && found.version !== null) languages[program] = found.version;
    }
    return succeed({ folders, languages, spentMs: context.clock.monotonic() - startedAt, hasBegun });
  } finally {
    limit.clear();
  }
}
