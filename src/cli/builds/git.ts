import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { Command } from "#build/process/command.ts";
import type { CommandContext } from "#cli/context.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { hasCode } from "#node/has-code.ts";

/** The output of git, or a sentence about why there is none. */
export type GitResult = ResultOf<string, { readonly message: string }>;

const execute = promisify(execFile);
/** A list of all files of a large repository fits in. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** The environment of git: the user's own, in English, without prompts. */
export function gitEnvironment({ environment }: Pick<CommandContext, "environment">): Record<string, string> {
  const own = Object.entries(environment).flatMap(([name, value]) =>
    // A git hook that runs this command sets variables that lead to the hook's repository.
    value === undefined || hookVariables.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(own), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
}

const hookVariables: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
]);

/** Runs git in a folder. */
export function readGit(
  context: CommandContext,
  cwd: string,
  ...args: readonly string[]
): Promise<GitResult> {
  return runGit(context, { argv: ["git", ...args], cwd, env: gitEnvironment(context) });
}

export async function runGit(
  { signal }: Pick<CommandContext, "signal">,
  command: Command,
): Promise<GitResult> {
  const [program, ...args] = command.argv;
  const { cwd, env } = command;
  try {
    const { stdout } = await execute(program, args, { cwd, env, signal, maxBuffer: MAX_OUTPUT_BYTES });
    return { ok: true, value: stdout };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { ok: false, message: "git is not installed." };
    const printed = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    const line = printed.split("\n").find((each) => /^(?:fatal|error): /.test(each)) ?? printed.trim();
    return { ok: false, message: `git failed: ${line.replace(/^(?:fatal|error): /, "")}` };
  }
}
