import type { ComponentChildren } from "preact";

type Props = {
  /** Says that the list is empty, such as `No webhooks yet`. */
  readonly title: string;
  /** A sentence that says what the objects are for. */
  readonly children?: ComponentChildren;
  /** The next step: a button or a link. */
  readonly actions?: ComponentChildren;
};

/** Takes the place of an empty list, and says what to do next. */
export function EmptyState({ title, children, actions }: Props) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </div>
  );
}
