import type { ComponentChildren } from "preact";

type FormProps = {
  readonly class?: string;
  /** Called instead of the browser's own submission. */
  readonly onSubmit: () => unknown;
  readonly children: ComponentChildren;
};

/** A form that is handled by script. If it is submitted with errors, the first invalid field gets the focus. */
export function Form({ onSubmit, children, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        const form = event.currentTarget;
        event.preventDefault();
        onSubmit();
        // After the errors are rendered.
        setTimeout(() => focusFirstError(form));
      }}
    >
      {children}
    </form>
  );
}

function focusFirstError(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
  // A field in a closed part cannot get the focus.
  for (let part = field?.closest("details"); part; part = part.parentElement?.closest("details"))
    part.open = true;
  field?.focus();
}
