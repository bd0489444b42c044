import type { ComponentChildren } from "preact";

type Props = {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  readonly type?: "button" | "submit";
  readonly look?: "plain" | "main" | "danger" | "slim";
  /** What it is called where its text alone does not say what it is about. */
  readonly label?: string;
  /** What it asked for is being done: it says so, and cannot be pressed again. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
};

export function Button({
  children,
  onClick,
  type = "button",
  look = "plain",
  label,
  isBusy = false,
  isDisabled = false,
}: Props) {
  return (
    <button
      type={type}
      class={look}
      aria-label={label}
      aria-busy={isBusy}
      // Not `disabled`: that would take the keyboard's place away, such as after saving.
      aria-disabled={isBusy || isDisabled}
      onClick={(event) => {
        if (isBusy || isDisabled) event.preventDefault();
        else void onClick?.();
      }}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : null}
      {children}
    </button>
  );
}
