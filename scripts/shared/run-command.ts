import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { Problem } from "./problem.ts";
import { binaries, root } from "./root.ts";

export type CommandOutcome = { readonly code: number | null; readonly output: string };

/** `stdout` is the part of `output` without warnings and progress, which are on stderr. */
export type RunOutcome = CommandOutcome & { readonly stdout: string };

/** Environment variables for wrangler without a banner, prompts, telemetry and requests for this machine's location. */
export const quietWrangler = {
  CI: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_LOG_PATH: "build/wrangler-logs",
  NO_COLOR: "1",
};

/**
 * Runs a program in the repository's folder and returns its output, both streams in one, without colors.
 * The code is null if a signal ended the program, and 127 if the program does not exist. Never rejects.
 */
export function runCommand(
  argv: readonly [string, ...string[]],
  options: { env?: Record<string, string>; cwd?: string; signal?: AbortSignal } = {},
): Promise<RunOutcome> {
  const [program, ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      // The programs of the packages, including their Node, have precedence over the machine's.
      env: { ...process.env, PATH: `${binaries}${delimiter}${process.env["PATH"] ?? ""}`, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    let output = "";
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const end = (code: number | null): void =>
      resolve({
        code,
        output: stripVTControlCharacters(output),
        stdout: stripVTControlCharacters(stdout),
      });
    child.once("error", (error) => {
      output += error.message;
      end(127);
    });
    child.once("close", end);
  });
}

/**
 * Runs a program of the packages in this process's terminal, where it can ask questions.
 * @throws Problem if it does not exit with 0
 */
export async function runAttached(
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Promise<void> {
  const child = spawn(join(binaries, program), args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Problem(`${program} failed with exit code ${child.exitCode}.`);
}
