import { addAbortSignal } from "node:stream";

import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";

const interrupted = () => stop("interrupted", "No changes were made.");

/** Reads a token: prompts for it without echo at a terminal, or reads all of stdin if that is a pipe or a file. */
export async function readToken(context: CommandContext, question: string): Promise<Result<string>> {
  if (context.stdin.isTTY) return await promptForSecret(context, question);
  const piped = await readStdin(context);
  return piped.ok ? succeed(piped.value.toString("utf8").trim()) : piped;
}

/** Prompts for a line without echo. Only for a terminal. Refuses several lines, because only the first would be used. */
export async function promptForSecret(context: CommandContext, question: string): Promise<Result<string>> {
  const typed = await readTyped(context, question, false);
  context.stderr.write("\n");
  return typed;
}

/** Asks a yes-or-no question. Refuses without a terminal, unless `yes` (the value of --yes) answers it. */
export async function confirm(
  context: CommandContext,
  question: string,
  yes: boolean,
): Promise<Result<true>> {
  if (yes) return succeed(true);
  const { stdin, stderr, output } = context;
  if (!stdin.isTTY || !stderr.isTTY || output.form === "json")
    return stop("not_confirmed", "No terminal to confirm on. Pass --yes.");
  const typed = await readTyped(context, `${question} [y/N] `, true);
  if (!typed.ok) return typed;
  return /^y(?:es)?$/i.test(typed.value.trim()) ? succeed(true) : interrupted();
}

/** Reads stdin to its end, or until the command is interrupted. */
export async function readStdin({ stdin, signal }: CommandContext): Promise<Result<Buffer>> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      const part: unknown = chunk;
      if (part instanceof Buffer) chunks.push(part);
    }
    return succeed(Buffer.concat(chunks));
  } catch (error) {
    return signal.aborted
      ? interrupted()
      : stop("unreadable_file", `Standard input cannot be read: ${messageOf(error)}.`);
  }
}

/** Prompts for a line at a terminal. @param isShown whether the terminal echoes it and handles editing keys */
async function readTyped(
  { stdin, stderr, signal }: CommandContext,
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
        stdin.off("data", read).off("end", interrupt);
        signal.removeEventListener("abort", interrupt);
        resolve(result);
      };
      const interrupt = () => end(interrupted());
      const read = (text: string) => {
        for (let at = 0; at < text.length; at += 1) {
          const character = text.charAt(at);
          if (character === "\r" || character === "\n") {
            const hasMore = !isShown && text.slice(at).trim() !== "";
            return end(hasMore ? severalLines() : succeed(line));
          }
          if (character === "\u0003" || character === "\u0004") return interrupt();
          if (character === "\u007f" || character === "\b") line = line.slice(0, -1);
          else if (character === "\u0015") line = "";
          else line += character;
        }
      };
      stdin.on("data", read).once("end", interrupt);
      signal.addEventListener("abort", interrupt, { once: true });
      // A listener does not resume a stream that an earlier prompt has paused.
      stdin.resume();
    });
  } finally {
    if (!isShown) stdin.setRawMode(false);
    stdin.pause();
  }
}

const severalLines = () =>
  stop("usage", "The text has several lines, but a prompt takes one. Read it from a file or standard input.");
