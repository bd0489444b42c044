import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** The browser's own modal dialog: it holds the keyboard, closes on Escape, and gives the keyboard back. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const isPressedBeside = useRef(false);
  // Before anything else can take the keyboard, so that it goes back to what has opened the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    // Else it would begin with the button that closes it. A secret comes before the button that takes it away for good.
    shown?.querySelector<HTMLElement>("input, select, textarea, pre, footer button")?.focus();
    return () => {
      isLeaving.current = true;
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // What had it may be about to go, such as the row of a deployment that was deleted.
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector("h1")?.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The browser may close it without asking first, such as at a second Escape.
      onClose={() => {
        if (!isLeaving.current) onClose();
      }}
      // A double click on what opens a dialog ends beside it; so does a text that is marked with the mouse, and a long way.
      onMouseDown={(event) => {
        isPressedBeside.current = event.target === dialog.current && event.detail === 1;
      }}
      onClick={(event) => {
        if (event.target === dialog.current && isPressedBeside.current) onClose();
      }}
      // Enter that is held on what opens a dialog would send it.
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.repeat) event.preventDefault();
      }}
    >
      <div class="inside">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
