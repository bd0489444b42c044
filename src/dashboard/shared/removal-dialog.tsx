import type { ComponentChildren } from "preact";

import type { ClientResult } from "#client/send.ts";
import { useRemoval } from "#dashboard/data/use-removal.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly title: string;
  readonly remove: () => Promise<ClientResult<unknown>>;
  readonly onClose: () => void;
  readonly onRemoved: () => unknown;
  /** The text of its button, and the action that a problem says has failed. */
  readonly words?: { readonly button: string; readonly doing: string };
  readonly isDisabled?: boolean;
  /** A text that says what the removal causes. */
  readonly children: ComponentChildren;
};

/** Asks for a confirmation and removes an object. */
export function RemovalDialog({
  title,
  remove,
  onClose,
  onRemoved,
  words = { button: "Delete", doing: "Deleting" },
  isDisabled = false,
  children,
}: Props) {
  const removing = useRemoval(remove);
  const confirm = async () => {
    if ((await removing.run()) === null) return;
    onClose();
    await onRemoved();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ProblemBox problem={removing.problem} doing={words.doing} />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" onClick={confirm} isBusy={removing.isRunning} isDisabled={isDisabled}>
          {words.button}
        </Button>
      </footer>
    </Dialog>
  );
}
