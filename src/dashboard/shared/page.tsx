import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export type Crumb = { readonly name: string; readonly href: string };

type Props = {
  readonly title: string;
  /** The heading, if it has more than the text of the title. */
  readonly heading?: ComponentChildren;
  /** The objects that contain what the page shows, the outermost first. */
  readonly crumbs?: readonly Crumb[];
  /** The sections of the object that the page is about: a `SectionNav`. */
  readonly sections?: ComponentChildren;
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
export function Page({ title, heading = title, crumbs = [], sections, actions, children }: Props) {
  const headline = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gantry`;
  }, [title]);
  useEffect(() => {
    if (isUsed && document.activeElement === document.body) headline.current?.focus({ preventScroll: true });
  }, []);
  return (
    <main>
      {crumbs.length === 0 ? null : <Crumbs crumbs={crumbs} />}
      {sections}
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

/** Links to the objects that contain what a page shows. */
export function Crumbs({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ name, href }) => (
          <li key={href}>
            <a href={href}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
