import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  /** Says the same as the title, with more than text in it. */
  readonly heading?: ComponentChildren;
  /** What can be done here. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** Whether anything has been done in this tab since it was loaded. */
let isUsed = false;
for (const name of ["keydown", "pointerdown"])
  addEventListener(name, () => void (isUsed = true), { capture: true, once: true });

/**
 * A page: its name in the tab and as a heading, which gets the keyboard when the page is come to. The page that a visit
 * begins with leaves it where the browser begins.
 */
export function Page({ title, heading = title, actions, children }: Props) {
  const headline = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gantry`;
  }, [title]);
  useEffect(() => {
    if (isUsed && document.activeElement === document.body) headline.current?.focus({ preventScroll: true });
  }, []);
  return (
    <main>
      <header class="page">
        <h1 ref={headline} tabIndex={-1}>
          {heading}
        </h1>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
