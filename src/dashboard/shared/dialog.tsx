import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** The browser's modal dialog: it keeps the focus inside, closes on Escape, and restores the focus. */
export function Dialog({ title, onClose, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const isPressedBeside = useRef(false);
  // Before another element takes the focus, so that it returns to the element that opened the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    // The default is the close button. A secret comes first, before the button that hides it forever.
    shown?.querySelector<HTMLElement>("input, select, textarea, pre, footer button")?.focus();
    return () => {
      isLeaving.current = true;
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      // The element may be removed, such as the row of a deleted deployment.
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector("h1")?.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The browser may close it without a cancel event, such as at a second Escape.
      onClose={() => {
        if (!isLeaving.current) onClose();
      }}
      // Only a click that starts outside closes it: not the end of a double click or of a text selection.
      onMouseDown={(event) => {
        isPressedBeside.current = event.target === dialog.current && event.detail === 1;
      }}
      onClick={(event) => {
        if (event.target === dialog.current && isPressedBeside.current) onClose();
      }}
      // Holding Enter on the button that opens the dialog must not submit its form.
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.repeat) event.preventDefault();
      }}
    >
      <div class="inside">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            ×
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
