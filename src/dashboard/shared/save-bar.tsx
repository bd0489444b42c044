import type { Action } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly saving: Pick<Action<unknown, never>, "isRunning" | "problem">;
  /** There are changes. A form with errors can be saved too: then the first error gets the focus. */
  readonly canSave: boolean;
  /** The message while everything is saved; null before the first save. */
  readonly saved: string | null;
  /** Resets the form to the saved values; omitted if there are no changes. */
  readonly onDiscard?: (() => void) | undefined;
};

/** The buttons of a settings form, and the result of saving. */
export function SaveBar({ saving, canSave, saved, onDiscard }: Props) {
  return (
    <div class="save-bar">
      <ProblemBox problem={saving.problem} doing="Saving" />
      <div class="actions">
        <Button type="submit" variant="primary" isBusy={saving.isRunning} isDisabled={!canSave}>
          Save
        </Button>
        {onDiscard === undefined ? null : <Button onClick={onDiscard}>Discard changes</Button>}
        <span role="status" class="quiet">
          {saved ?? (onDiscard === undefined ? null : "Unsaved changes.")}
        </span>
      </div>
    </div>
  );
}
