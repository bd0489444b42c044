import type { ComponentChildren } from "preact";

type Props = {
  /** What there is none of, such as `No webhooks yet`. */
  readonly title: string;
  /** What it is good for, in a sentence. */
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
