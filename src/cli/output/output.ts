import type { Problem } from "#contract/problems.ts";
import { exitCodes, exitOf } from "#cli/exit-codes.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";
import { createProgress, type Progress } from "#cli/output/progress.ts";
import { createStyle, type Style, wantsColour } from "#cli/output/style.ts";
import { tabbedText, tableText } from "#cli/output/table.ts";

/** Where a command writes, in one of three forms: for a terminal, as plain text, or as JSON. */
export type Output = {
  readonly form: "terminal" | "plain" | "json";
  readonly style: Style;
  /** Prints a line of the result to stdout. Not in JSON. */
  line(text?: string): void;
  /** Prints a message to stderr. Not in JSON. */
  note(text: string): void;
  /** Prints a value to stdout. Only in JSON. */
  json(value: unknown): void;
  /** Prints rows with column headings; in plain text without headings, separated by tabs. Not in JSON. */
  table(names: readonly string[], rows: readonly (readonly string[])[]): void;
  /** The status line at the bottom of a terminal. */
  readonly progress: Progress;
  /** Prints a problem to stderr. @param code the exit code of the command; default: the problem's */
  problem(problem: Problem, code?: number): void;
};

type Streams = { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream };

export function createOutput(
  { stdout, stderr }: Streams,
  isJson: boolean,
  environment: NodeJS.ProcessEnv,
): Output {
  const form = isJson ? "json" : stdout.isTTY ? "terminal" : "plain";
  const style = createStyle(wantsColour(form === "terminal", environment));
  const noteStyle = createStyle(wantsColour(stderr.isTTY, environment));
  const canMoveCursor = form === "terminal" && stderr.isTTY && environment["TERM"] !== "dumb";
  const progress = createProgress(canMoveCursor ? stderr : null);
  const write = (stream: NodeJS.WriteStream, text: string) =>
    progress.around(() => void stream.write(`${text}\n`));
  return {
    form,
    style,
    progress,
    line(text = "") {
      if (form !== "json") write(stdout, text);
    },
    note(text) {
      if (form !== "json") write(stderr, printable(text));
    },
    json(value) {
      if (form === "json") write(stdout, JSON.stringify(value));
    },
    table(names, rows) {
      if (form === "json" || (form === "plain" && rows.length === 0)) return;
      const clean = rows.map((row) => row.map(form === "plain" ? printable : printableInColour));
      write(
        stdout,
        form === "plain" ? tabbedText(clean) : tableText(names, clean, style, stdout.columns || 80),
      );
    },
    problem(problem, code = exitCodes[exitOf(problem)].code) {
      if (form === "json") return write(stderr, JSON.stringify({ problem, exit_code: code }));
      write(stderr, `${noteStyle.red(printable(problem.title))}: ${printable(problem.detail)}`);
      for (const { pointer, message } of problem.errors ?? [])
        write(stderr, `  ${printable(pointer)} ${printable(message)}`);
      if (problem.request_id !== "")
        write(
          stderr,
          noteStyle.dim(`  ${printable(problem.code)}, request ${printable(problem.request_id)}`),
        );
    },
  };
}
