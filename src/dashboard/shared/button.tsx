import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

type Props = {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  readonly type?: "button" | "submit";
  readonly variant?: "plain" | "primary" | "danger" | "subtle";
  /** The accessible name, where the text alone is ambiguous. */
  readonly label?: string;
  /**
   * The action is running: the button ignores clicks, and shows a spinner if it was clicked itself. Set it, also to
   * false, for every action that takes time: the button then ignores the second click of a double click, which may hit
   * another button.
   */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
};

export function Button({
  children,
  onClick,
  type = "button",
  variant = "plain",
  label,
  isBusy,
  isDisabled = false,
}: Props) {
  const [wasClicked, setWasClicked] = useState(false);
  useEffect(() => {
    if (isBusy !== true) setWasClicked(false);
  }, [isBusy]);
  return (
    <button
      type={type}
      class={variant}
      aria-label={label}
      aria-busy={isBusy === true}
      // Not `disabled`, which would remove the focus from the button.
      aria-disabled={isBusy === true || isDisabled}
      onClick={(event) => {
        const isSecond = isBusy !== undefined && event.detail > 1;
        if (isBusy === true || isDisabled || isSecond) event.preventDefault();
        else {
          setWasClicked(true);
          void onClick?.();
        }
      }}
    >
      {isBusy === true && wasClicked ? <span class="spinner" aria-hidden="true" /> : null}
      {children}
    </button>
  );
}
