import type { ComponentChildren } from "preact";

import type { Action } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/parts/button.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";

type FormProps = {
  readonly class?: string;
  /** Done instead of what a browser does with a form. */
  readonly onSubmit: () => unknown;
  readonly children: ComponentChildren;
};

/** What is sent by its button or by Enter in any of its fields. */
export function Form({ onSubmit, children, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type SaveBarProps = {
  readonly saving: Pick<Action<unknown, never>, "isRunning" | "problem">;
  /** Something is changed, and it can be saved. */
  readonly canSave: boolean;
  /** What to say while all that is shown has been saved; null before. */
  readonly saved: string | null;
};

/** The end of a form that is saved where it stands: the button, and what came of it. */
export function SaveBar({ saving, canSave, saved }: SaveBarProps) {
  return (
    <>
      <ProblemBox problem={saving.problem} doing="Saving" />
      <div class="actions">
        <Button type="submit" look="main" isBusy={saving.isRunning} isDisabled={!canSave}>
          Save
        </Button>
        <span role="status" class="quiet">
          {saved}
        </span>
      </div>
    </>
  );
}
