import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { FormWasRefused } from "#dashboard/shared/shown-error.ts";

type FormProps = {
  readonly class?: string;
  /** Called instead of the browser's own submission. */
  readonly onSubmit: () => unknown;
  /** Called when a field is changed. */
  readonly onEdit?: () => void;
  readonly children: ComponentChildren;
};

/** A form that is handled by script. If it is submitted with errors, the first invalid field gets the focus. */
export function Form({ onSubmit, onEdit, children, ...props }: FormProps) {
  const [wasRefused, setWasRefused] = useState(false);
  return (
    <form
      {...props}
      onInput={onEdit}
      onSubmit={(event) => {
        const form = event.currentTarget;
        event.preventDefault();
        onSubmit();
        setWasRefused(true);
        // After the errors are rendered.
        setTimeout(() => setWasRefused(focusFirstError(form)));
      }}
    >
      <FormWasRefused value={wasRefused}>{children}</FormWasRefused>
    </form>
  );
}

/** @returns whether there is an error */
function focusFirstError(form: HTMLFormElement): boolean {
  const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
  // A field in a closed part cannot get the focus.
  for (let part = field?.closest("details"); part; part = part.parentElement?.closest("details"))
    part.open = true;
  field?.focus();
  return field !== null;
}
