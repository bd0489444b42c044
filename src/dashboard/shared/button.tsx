import type { ComponentChildren } from "preact";

type Props = {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  readonly type?: "button" | "submit";
  readonly look?: "plain" | "main" | "danger" | "slim";
  /** What it is called where its text alone does not say what it is about. */
  readonly label?: string;
  /**
   * What it asked for is being done: it says so, and cannot be pressed again. Given at all, it does something that takes a
   * while, and the second click of a double click is none: another button may stand there by then.
   */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
};

export function Button({
  children,
  onClick,
  type = "button",
  look = "plain",
  label,
  isBusy,
  isDisabled = false,
}: Props) {
  return (
    <button
      type={type}
      class={look}
      aria-label={label}
      aria-busy={isBusy === true}
      // Not `disabled`: that would take the keyboard's place away, such as after saving.
      aria-disabled={isBusy === true || isDisabled}
      onClick={(event) => {
        const isSecond = isBusy !== undefined && event.detail > 1;
        if (isBusy === true || isDisabled || isSecond) event.preventDefault();
        else void onClick?.();
      }}
    >
      {isBusy === true ? <span class="spinner" aria-hidden="true" /> : null}
      {children}
    </button>
  );
}
