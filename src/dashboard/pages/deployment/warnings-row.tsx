import type { WarningRun } from "#dashboard/pages/deployment/warning-runs.ts";

type Props = {
  readonly run: WarningRun;
  /** The number of the first line. */
  readonly line: number;
  readonly isOpen: boolean;
  /** Whether Tab reaches this row's number. */
  readonly isStop: boolean;
  readonly onToggle: () => void;
};

/** The head of warnings in a row, which shows or hides them. */
export function WarningsRow({ run: { count }, line, isOpen, isStop, onToggle }: Props) {
  return (
    <div class="row warnings">
      {isOpen ? (
        <span class="number" />
      ) : (
        <a class="number" href={`#L${line}`} tabIndex={isStop ? 0 : -1} aria-label={`Line ${line}`}>
          {line}
        </a>
      )}
      <button type="button" aria-expanded={isOpen} onClick={onToggle}>
        {count} warnings
      </button>
    </div>
  );
}
