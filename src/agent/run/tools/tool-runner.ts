import { mkdir } from "node:fs/promises";
import { delimiter } from "node:path";

import { commandEnvironment } from "#build/commands/environment.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import { type CapturedEnd, runCommand } from "#agent/step/run-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { toolsFolder } from "#agent/workspace/tools-folder.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

/** Everything that the installation of a tool for a run needs. */
export type ToolRunner = {
  readonly scope: RunScope;
  readonly stage: "install" | "build";
  readonly limit: StageLimit;
  /** The folder that the agent's tools are in. */
  readonly folder: string;
  /** The server's PATH, after the tools that were provided before. */
  readonly path: string;
  /** The PATH of the project's commands. The agent starts no program from it, because the project can replace them. */
  readonly projectPath: string;
  /** Runs a program as the agent's user, outside of the repository. With `log`, its output goes to the log. */
  readonly run: (
    argv: readonly [string, ...string[]],
    options: { readonly log: boolean; readonly env?: Readonly<Record<string, string>> },
  ) => Promise<CapturedEnd>;
};

/** A tool that a run uses from the agent's folder. `folders`: what comes first on the PATH. */
export type ProvidedTool = { readonly version: string; readonly folders: readonly string[] };

/** `failed`: the program that should install it could not. `none`: no program of the server can install it. */
export type Provision =
  | { readonly kind: "provided"; readonly tool: ProvidedTool }
  | { readonly kind: "failed"; readonly installer: string; readonly ran: CapturedEnd }
  | { readonly kind: "none" };

/** Installs a tool, or finds what was installed for an earlier run. */
export type Provider = (
  runner: ToolRunner,
  tool: Tool,
  requests: readonly ToolRequest[],
) => Promise<Provision>;

/**
 * @param folders what comes first on the PATH
 * @param begin called before a program is started
 */
export function createToolRunner(
  scope: RunScope,
  stage: ToolRunner["stage"],
  limit: StageLimit,
  folders: readonly string[],
  begin: () => void,
): ToolRunner {
  const { context, order, variables } = scope;
  const folder = toolsFolder(context.home);
  // Not the PATH of the project's variables: the agent would start the project's programs as its own user.
  const path = [...folders, context.environment["PATH"] ?? USUAL_PATH].join(delimiter);
  const own = variables.build["PATH"];
  const projectPath = own === undefined ? path : [...folders, own].join(delimiter);
  const environment = { ...commandEnvironment(context.environment, order.run_id), PATH: path };
  return {
    ...{ scope, stage, limit, folder, path, projectPath },
    async run(argv, { log, env = {} }) {
      begin();
      await mkdir(folder, { recursive: true });
      const command = { argv, cwd: folder, env: { ...environment, ...env } };
      return runCommand(scope, command, {
        ...{ stage, signal: limit.signal, leftovers: "kill", stdout: log ? "log" : "capture", isQuiet: !log },
      });
    },
  };
}
