import type { ComponentChildren } from "preact";

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
