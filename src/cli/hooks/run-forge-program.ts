import { spawn } from "node:child_process";

import type { CommandContext } from "#cli/context.ts";
import type { ForgeRequest } from "#cli/hooks/forge-request.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { hasCode } from "#node/has-code.ts";

/** Why a forge's program failed. `message`: what it printed. */
export type ForgeFailure = {
  readonly reason: "not_installed" | "interrupted" | "failed";
  readonly message: string;
};

/** The most characters of the program's output in an error message. */
const MAX_PRINTED = 2_000;
const MAX_OUTPUT = 1_000_000;

type Call = Pick<ForgeRequest, "program" | "args"> & {
  /** What goes to its standard input, as JSON; nothing if it is undefined. */
  readonly body?: unknown;
};

/** Runs the forge's own program, which sends the request with the user's login. @returns its standard output */
export async function runForgeProgram(
  { environment, signal }: Pick<CommandContext, "environment" | "signal">,
  { program, args, body }: Call,
): Promise<ResultOf<string, ForgeFailure>> {
  const failed = (reason: ForgeFailure["reason"], message: string) =>
    ({ ok: false, reason, message }) as const;
  return await new Promise((resolve) => {
    // Without prompts: the command's own terminal stays free.
    const env = { ...environment, GH_PROMPT_DISABLED: "1", NO_PROMPT: "1" };
    const child = spawn(program, [...args], { env, signal, stdio: ["pipe", "pipe", "pipe"] });
    let printed = "";
    let output = "";
    const note = (text: string) => (printed = (printed + text).slice(-MAX_PRINTED));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      note(text);
      output = (output + text).slice(0, MAX_OUTPUT);
    });
    child.stderr.setEncoding("utf8").on("data", note);
    child.on("error", (error) => {
      if (signal.aborted) resolve(failed("interrupted", ""));
      else resolve(failed(hasCode(error, "ENOENT") ? "not_installed" : "failed", error.message));
    });
    child.on("close", (code) => {
      if (code === 0) resolve({ ok: true, value: output });
      else resolve(failed(signal.aborted ? "interrupted" : "failed", printed.trim()));
    });
    // A program that ends before it has read everything fails with its own message.
    child.stdin.on("error", () => undefined).end(body === undefined ? "" : JSON.stringify(body));
  });
}
