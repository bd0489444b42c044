import { useLayoutEffect, useRef } from "preact/hooks";

export type SectionLink = { readonly name: string; readonly href: string; readonly isCurrent: boolean };

type Props = {
  /** The object that has the sections, such as `Project`. */
  readonly label: string;
  readonly links: readonly SectionLink[];
  /** Beside the content instead of above it: in `<div class="with-side">`, before the content. */
  readonly isAtSide?: boolean;
};

/** Links to the sections of an object. On a narrow screen they scroll, and the current one is in view. */
export function SectionNav({ label, links, isAtSide = false }: Props) {
  const nav = useRef<HTMLElement>(null);
  const current = links.findIndex(({ isCurrent }) => isCurrent);
  useLayoutEffect(() => {
    const shown = nav.current;
    const link = shown?.querySelector<HTMLElement>("[aria-current]");
    if (shown && link) shown.scrollLeft = link.offsetLeft - shown.offsetLeft - shown.clientWidth / 3;
  }, [current]);
  return (
    <nav ref={nav} class={isAtSide ? "sections side" : "sections"} aria-label={label}>
      <ul>
        {links.map(({ name, href, isCurrent }) => (
          <li key={name}>
            <a href={href} aria-current={isCurrent ? "page" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
