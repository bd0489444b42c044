import { realpath } from "node:fs/promises";
import { homedir } from "node:os";

import { commandsOf } from "#build/choose-build.ts";
import { findToolProblems, type ToolProblem } from "#build/tools/find-tool-problems.ts";
import { createServerTools } from "#build/tools/server-tools.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";

/**
 * Compares the tools of this machine with the tools that a build needs. A server may install tools that are missing
 * here.
 */
export async function localToolProblems(
  environment: NodeJS.ProcessEnv,
  { choice, release, root }: LocalBuild,
): Promise<readonly ToolProblem[]> {
  const tools = createServerTools({ environment, home: homedir(), monotonic: () => performance.now() });
  return findToolProblems(tools, {
    commands: commandsOf(choice),
    release: await realpath(release),
    root,
    path: environment["PATH"] ?? USUAL_PATH,
    place: "this machine",
  });
}
