import type { Action } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly saving: Pick<Action<unknown, never>, "isRunning" | "problem">;
  /** Something is changed, and it can be saved. */
  readonly canSave: boolean;
  /** What to say while all that is shown has been saved; null before. */
  readonly saved: string | null;
  /** Goes back to what was saved; left out: nothing is changed. */
  readonly onDiscard?: (() => void) | undefined;
};

/** The end of a form that is saved where it stands: the buttons, and what came of it. */
export function SaveBar({ saving, canSave, saved, onDiscard }: Props) {
  return (
    <>
      <ProblemBox problem={saving.problem} doing="Saving" />
      <div class="actions">
        <Button type="submit" look="main" isBusy={saving.isRunning} isDisabled={!canSave}>
          Save
        </Button>
        {onDiscard === undefined ? null : <Button onClick={onDiscard}>Discard the changes</Button>}
        <span role="status" class="quiet">
          {saved ?? (onDiscard === undefined ? null : "Not saved yet.")}
        </span>
      </div>
    </>
  );
}
