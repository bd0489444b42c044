import type { WarningRun } from "#dashboard/pages/deployment/warning-runs.ts";

type Props = {
  readonly run: WarningRun;
  readonly isOpen: boolean;
  /** Whether Tab reaches this row's number. */
  readonly isStop: boolean;
  readonly onToggle: () => void;
};

/** The head of warnings in a row, which shows or hides them. */
export function WarningsRow({ run: { first, count }, isOpen, isStop, onToggle }: Props) {
  const line = first + 1;
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
