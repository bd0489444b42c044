import { addAbortSignal } from "node:stream";

import type { Context } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

const interrupted = () => stop("interrupted", "No changes were made.");

/** Reads a secret: prompts for it without echo at a terminal, or reads all of stdin if that is a pipe or a file. */
export async function readSecret(context: Context, question: string): Promise<Result<string>> {
  const { stdin, stderr } = context;
  if (!stdin.isTTY) return await readPiped(context);
  const typed = await readTyped(context, question, false);
  stderr.write("\n");
  return typed;
}

/** Asks a yes-or-no question. Refuses without a terminal, unless `yes` (the value of --yes) answers it. */
export async function confirm(context: Context, question: string, yes: boolean): Promise<Result<true>> {
  if (yes) return succeed(true);
  const { stdin, stderr, output } = context;
  if (!stdin.isTTY || !stderr.isTTY || output.form === "json")
    return stop("not_confirmed", "No terminal to confirm on. Pass --yes.");
  const typed = await readTyped(context, `${question} [y/N] `, true);
  if (!typed.ok) return typed;
  return /^y(?:es)?$/i.test(typed.value.trim()) ? succeed(true) : interrupted();
}

/** Reads stdin to its end, or until the command is interrupted. */
async function readPiped({ stdin, signal }: Context): Promise<Result<string>> {
  let text = "";
  try {
    for await (const chunk of addAbortSignal(signal, stdin.setEncoding("utf8"))) text += String(chunk);
    return succeed(text.trim());
  } catch (error) {
    return signal.aborted
      ? interrupted()
      : stop("unreadable_file", `The token cannot be read: ${String(error)}.`);
  }
}

/** Prompts for a line at a terminal. @param isShown whether the terminal echoes it and handles editing keys */
async function readTyped(
  { stdin, stderr, signal }: Context,
  prompt: string,
  isShown: boolean,
): Promise<Result<string>> {
  stdin.setEncoding("utf8");
  // Before the prompt, because a secret could be typed as soon as the prompt is visible.
  if (!isShown) stdin.setRawMode(true);
  stderr.write(prompt);
  try {
    return await new Promise((resolve) => {
      let line = "";
      const end = (result: Result<string>) => {
        stdin.off("data", read);
        resolve(result);
      };
      const read = (text: string) => {
        for (const character of text) {
          if (character === "\r" || character === "\n") return end(succeed(line));
          if (character === "\u0003" || character === "\u0004") return end(interrupted());
          if (character === "\u007f" || character === "\b") line = line.slice(0, -1);
          else if (character === "\u0015") line = "";
          else line += character;
        }
      };
      stdin.on("data", read);
      stdin.once("end", () => end(interrupted()));
      signal.addEventListener("abort", () => end(interrupted()), { once: true });
    });
  } finally {
    if (!isShown) stdin.setRawMode(false);
    stdin.pause();
  }
}
