import { cut } from "#cli/output/table.ts";

/** A status line, or several, below all other output, which is redrawn in place. */
export type Progress = {
  /** Whether there is a terminal to show it on. */
  readonly isVisible: boolean;
  /** Shows the result of `text`, now and every second. */
  show(text: () => string): void;
  hide(): void;
  /** Runs a write that appears above the status line. */
  around(write: () => void): void;
};

const EVERY_MS = 1_000;

/** @param terminal null: never shows a status line */
export function createProgress(terminal: NodeJS.WriteStream | null): Progress {
  if (terminal === null)
    return { isVisible: false, show: () => undefined, hide: () => undefined, around: (write) => write() };
  let text: (() => string) | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Of the lines that were drawn, below the first. The cursor is in the last one. */
  let below = 0;
  const clear = () => {
    if (text === null) return;
    terminal.write(`${below === 0 ? "" : `\u001b[${below}A`}\r\u001b[J`);
    below = 0;
  };
  const draw = () => {
    if (text === null) return;
    clear();
    // Some pseudo-terminals report a size of 0.
    const columns = terminal.columns || 80;
    const rows = terminal.rows || 24;
    // A terminal cannot move the cursor back to lines that have scrolled away.
    const lines = text()
      .split("\n")
      .slice(0, Math.max(1, rows - 1));
    terminal.write(lines.map((line) => cut(line, columns - 1)).join("\n"));
    below = lines.length - 1;
  };
  return {
    isVisible: true,
    show(next) {
      text = next;
      timer ??= setInterval(draw, EVERY_MS).unref();
      draw();
    },
    hide() {
      clear();
      clearInterval(timer);
      timer = undefined;
      text = null;
    },
    around(write) {
      clear();
      write();
      draw();
    },
  };
}
