import { stripVTControlCharacters } from "node:util";

const isTerminal = process.stdout.isTTY;
const hasColour = isTerminal && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";

// Whoever reads the output may leave before we do (npm start | head); that must not end the servers.
process.stdout.on("error", () => undefined);

const paint = (code: number) => (text: string) => (hasColour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export function print(line = ""): void {
  process.stdout.write(`${clearOpenStep()}${line}\n`);
}

/** A command's output may hold anything, also sequences that would move the cursor or rename the window. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\t/g, "  ")
    .replace(/\p{Cc}/gu, "");
}

/** Milliseconds as a person reads them. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

let isStepOpen = false;

/** A step under way is shown on a terminal only; elsewhere each line is final. */
function clearOpenStep(): string {
  if (!isStepOpen) return "";
  isStepOpen = false;
  return "\r\u001b[K";
}

/** Shows a step while it runs, and how long it took. What `work` returns besides its value is said on the line. */
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
