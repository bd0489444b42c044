import type { ComponentChildren } from "preact";

type FormProps = {
  readonly class?: string;
  /** Called instead of the browser's own submission. */
  readonly onSubmit: () => unknown;
  readonly children: ComponentChildren;
};

/** A form that is handled by script. */
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
