import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export type MenuItem =
  | { readonly label: string; readonly href: string }
  | { readonly label: string; readonly onSelect: () => unknown; readonly isDanger?: boolean };

type Props = {
  /** What the actions are for, such as `Actions for v3`. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The button's text; omitted: three dots, for a row. */
  readonly text?: string;
  /** An action of the menu is running. */
  readonly isBusy?: boolean;
};

/** A button that opens a menu of actions. Only an open menu has its items in the page: a list may have many rows. */
export function Menu({ label, items, text, isBusy = false }: Props) {
  /** The item that gets the focus; null: closed. */
  const [first, setFirst] = useState<"first" | "last" | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (takesFocus: boolean) => {
    if (takesFocus) button.current?.focus();
    setFirst(null);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={text === undefined ? "subtle icon" : "plain"}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={first !== null}
        aria-busy={isBusy}
        onClick={(event) => {
          // The second click of a double click must not close it.
          if (event.detail < 2) setFirst(first === null ? "first" : null);
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setFirst(event.key === "ArrowDown" ? "first" : "last");
        }}
      >
        {isBusy ? <span class="spinner" aria-hidden="true" /> : null}
        {text ?? (isBusy ? null : <Dots />)}
        {text === undefined ? null : <Arrow />}
      </button>
      {first === null ? null : (
        <Items label={label} items={items} button={button.current} first={first} close={close} />
      )}
    </>
  );
}

type ItemsProps = {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly button: HTMLElement | null;
  readonly first: "first" | "last";
  /** @param takesFocus the button gets the focus */
  readonly close: (takesFocus: boolean) => void;
};

function Items({ label, items, button, first, close }: ItemsProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = menu.current;
    if (shown === null) return;
    shown.showPopover();
    if (button !== null) placeBelow(shown, button);
    itemsOf(shown)
      .at(first === "first" ? 0 : -1)
      ?.focus();
  }, []);
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      const isInside = target instanceof Node && (menu.current?.contains(target) || button?.contains(target));
      if (isInside !== true) close(false);
    };
    // Its place is no longer beside its button.
    const onMove = () => close(menu.current?.contains(document.activeElement) === true);
    document.addEventListener("pointerdown", onPointer, { capture: true });
    document.addEventListener("scroll", onMove, { capture: true, passive: true });
    globalThis.addEventListener("resize", onMove);
    return () => {
      document.removeEventListener("pointerdown", onPointer, { capture: true });
      document.removeEventListener("scroll", onMove, { capture: true });
      globalThis.removeEventListener("resize", onMove);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = menu.current === null ? [] : itemsOf(menu.current);
    const at = all.findIndex((item) => item === document.activeElement);
    const next = nextItem(event, all, at);
    if (next !== null) next.focus();
    else if (event.key === "Escape") close(true);
    // Tab continues from the button.
    else if (event.key === "Tab") return close(true);
    // Holding Enter on the button must not select the first item.
    else if (!(event.repeat && (event.key === "Enter" || event.key === " "))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={menu} class="menu" role="menu" aria-label={label} popover="manual" onKeyDown={onKeyDown}>
      {items.map((item) => (
        <Item key={item.label} item={item} close={close} />
      ))}
    </div>
  );
}

function Item({ item, close }: { readonly item: MenuItem } & Pick<ItemsProps, "close">): ComponentChildren {
  if ("href" in item) {
    return (
      <a role="menuitem" tabIndex={-1} href={item.href} onClick={() => close(true)}>
        {item.label}
      </a>
    );
  }
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={item.isDanger === true ? "danger" : ""}
      onClick={() => {
        // First, so that a dialog that it opens returns the focus to the menu's button.
        close(true);
        void item.onSelect();
      }}
    >
      {item.label}
    </button>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
}

/** The item that a key leads to; null: the key leads to none. */
function nextItem({ key }: KeyboardEvent, all: readonly HTMLElement[], at: number): HTMLElement | null {
  switch (key) {
    case "ArrowDown":
      return all[(at + 1) % all.length] ?? null;
    case "ArrowUp":
      return all.at(at <= 0 ? -1 : at - 1) ?? null;
    case "Home":
      return all[0] ?? null;
    case "End":
      return all.at(-1) ?? null;
    default:
      return key.length === 1 && key !== " " ? startingWith(key, all, at) : null;
  }
}

function startingWith(letter: string, all: readonly HTMLElement[], at: number): HTMLElement | null {
  const inOrder = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return (
    inOrder.find(({ textContent }) => textContent?.toLowerCase().startsWith(letter.toLowerCase())) ?? null
  );
}

/** The distance to the button and to the window's edges, in pixels. */
const GAP = 4;

/** Moves a menu below its button, or above it where there is no space below. Their right edges line up. */
function placeBelow(menu: HTMLElement, button: HTMLElement): void {
  const place = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = place.bottom + GAP;
  const hasSpace = below + height <= innerHeight || place.top - GAP - height < 0;
  menu.style.left = `${Math.max(2 * GAP, Math.min(place.right, innerWidth - 2 * GAP) - width)}px`;
  menu.style.top = `${hasSpace ? below : place.top - GAP - height}px`;
}

function Dots() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <circle cx="3" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="13" cy="8" r="1.4" />
    </svg>
  );
}

function Arrow() {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="m2 3.5 3 3 3-3" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
