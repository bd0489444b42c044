import { cut } from "#cli/output/table.ts";

/** A status line below all other output, which is redrawn in place. */
export type Progress = {
  /** Shows the result of `text`, now and every second. */
  show(text: () => string): void;
  hide(): void;
  /** Runs a write that appears above the status line. */
  around(write: () => void): void;
};

const EVERY_MS = 1_000;
const CLEAR = "\r\u001b[K";

/** @param terminal null: never shows a status line */
export function createProgress(terminal: NodeJS.WriteStream | null): Progress {
  if (terminal === null) return { show: () => undefined, hide: () => undefined, around: (write) => write() };
  let text: (() => string) | null = null;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => void (text !== null && terminal.write(CLEAR));
  const draw = () =>
    void (text !== null && terminal.write(`${CLEAR}${cut(text(), (terminal.columns || 80) - 1)}`));
  return {
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
