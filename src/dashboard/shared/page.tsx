import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  /** The heading, if it has more than the text of the title. */
  readonly heading?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** Whether the user has pressed a key or the mouse since the page was loaded. */
let isUsed = false;
for (const name of ["keydown", "pointerdown"])
  addEventListener(name, () => void (isUsed = true), { capture: true, once: true });

/**
 * A page with its title, in the tab and as a heading. The heading gets the focus when the user navigates to the page. The
 * first page of a visit leaves the focus where the browser puts it.
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
