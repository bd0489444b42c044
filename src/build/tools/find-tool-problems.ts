import { readdir } from "node:fs/promises";

import { type BuildPlace, describeMissing, describeOther } from "#build/tools/describe-tool.ts";
import { findMissing } from "#build/tools/find-missing.ts";
import { findProgram } from "#build/tools/find-program.ts";
import type { WantedProgram } from "#build/tools/install-advice.ts";
import { readToolRequests } from "#build/tools/read-tool-requests.ts";
import type { ServerTools } from "#build/tools/server-tools.ts";
import { checkVersion } from "#project-files/frameworks/tools/check-version.ts";
import { programOf } from "#project-files/frameworks/tools/command-tools.ts";
import { type ChosenCommands, toolNeeds } from "#project-files/frameworks/tools/tool-needs.ts";

/** A build whose tools are checked. `release`: the repository's folder; `root`: the project's; both real paths. */
export type ToolQuestion = {
  readonly commands: ChosenCommands;
  readonly release: string;
  readonly root: string;
  readonly path: string;
  readonly place: BuildPlace;
};

/** `missing`: a preset's command starts a program that does not exist. */
export type ToolProblem = WantedProgram & {
  readonly kind: "missing" | "other_version";
  readonly message: string;
};

/**
 * Compares the tools of a machine with what a project's commands need and its repository asks for, without installing
 * anything.
 * @returns a sentence for each problem
 */
export async function findToolProblems(
  tools: Pick<ServerTools, "find">,
  { commands, release, root, path, place }: ToolQuestion,
): Promise<readonly ToolProblem[]> {
  const names = await readdir(root);
  const problems: ToolProblem[] = [];
  const missing = new Set<string>();
  for (const { tool, requests, program } of toolNeeds(commands, await readToolRequests(release, root))) {
    const found = await tools.find(programOf(tool), path);
    if (program !== null && !missing.has(program) && (await findProgram(program, path)) === null) {
      missing.add(program);
      const message = describeMissing(program, requests, names, place);
      problems.push({ kind: "missing", message, program, tool, requests });
    } else if (found?.version !== undefined && found.version !== null) {
      const check = checkVersion(requests, found.version);
      if (check.kind === "fits") continue;
      const message = describeOther(check.by, found.version, place);
      problems.push({ kind: "other_version", message, program: programOf(tool), tool, requests });
    }
  }
  for (const { name, program } of await findMissing(commands.preset, path)) {
    if (missing.has(program)) continue;
    const message = describeMissing(name, [], names, place);
    problems.push({ kind: "missing", message, program, tool: null, requests: [] });
  }
  return problems;
}
