import { stripVTControlCharacters } from "node:util";

const isTerminal = process.stdout.isTTY;
const hasColor = isTerminal && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";

// The reader of the output may end first (npm start | head). That must not end the servers.
process.stdout.on("error", () => undefined);

const paint = (code: number) => (text: string) => (hasColor ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export function print(line = ""): void {
  process.stdout.write(`${clearOpenStep()}${line}\n`);
}

/** Removes control characters from the output of a program: they could move the cursor or rename the window. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\t/g, "  ")
    .replace(/\p{Cc}/gu, "");
}

/** For example 250 ms, or 1.5 s. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

let isStepOpen = false;

/** A running step is shown on a terminal only. In other outputs each line is final. */
function clearOpenStep(): string {
  if (!isStepOpen) return "";
  isStepOpen = false;
  return "\r\u001b[K";
}

/** Shows a step while it runs. Prints `done` and the duration at the end. */
export async function step<Value>(
  doing: string,
  work: () => Promise<{ readonly value: Value; readonly done: string }>,
): Promise<Value> {
  const startedAt = performance.now();
  if (isTerminal) {
    process.stdout.write(`${clearOpenStep()}${dim(`  ${doing} …`)}`);
    isStepOpen = true;
  }
  try {
    const { value, done } = await work();
    print(`${green("✓")} ${done} ${dim(formatDuration(performance.now() - startedAt))}`);
    return value;
  } catch (error) {
    print(`${red("✗")} ${doing} ${dim(formatDuration(performance.now() - startedAt))}`);
    throw error;
  }
}
