import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { RowPlaces } from "#dashboard/shared/row-places.ts";

/** Rows rendered beyond each edge of the visible area, so that fast scrolling shows no gap. */
const SPARE_ROWS = 8;
/** With this many rows left below, more are requested. */
const NEAR_END_ROWS = 50;

export type VirtualListProps = {
  readonly count: number;
  /** In pixels, the same for each row unless `places` is given. */
  readonly rowHeight: number;
  readonly places?: RowPlaces;
  readonly label: string;
  /** `isStop`: the only row that Tab reaches. */
  readonly row: (index: number, isStop: boolean) => ComponentChildren;
  /** The row that Tab reaches, wherever it is; without one, it is the first visible row. */
  readonly stop?: number | null;
  readonly keyOf: (index: number) => string | number;
  /** Called when the end of the list is near. */
  readonly onEnd?: () => unknown;
  /** The number of rows in all; omitted if unknown. */
  readonly total?: number;
  readonly rowClass?: (index: number) => string;
};

/** The rendered rows. `top` is the first visible one. */
type Range = { readonly first: number; readonly top: number; readonly after: number };

/** A list that renders only its visible rows. It scrolls with the page, or with an ancestor that has `data-scrolls`. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, label, row, keyOf, onEnd, total, rowClass, stop = null } = props;
  const places = props.places ?? evenPlaces(rowHeight);
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<Range>({ first: 0, top: 0, after: 40 });

  useLayoutEffect(() => {
    const update = () => {
      if (box.current === null) return;
      const next = visibleRows(box.current, count, places);
      setRange((now) => (now.top === next.top && now.after === next.after ? now : next));
      if (next.after + NEAR_END_ROWS >= count) void onEnd?.();
    };
    update();
    // Scroll events do not bubble, but they can be captured.
    document.addEventListener("scroll", update, { capture: true, passive: true });
    globalThis.addEventListener("resize", update);
    return () => {
      document.removeEventListener("scroll", update, { capture: true });
      globalThis.removeEventListener("resize", update);
    };
  }, [count, rowHeight, props.places, onEnd]);

  const after = Math.min(range.after, count);
  const first = Math.min(range.first, after);
  const known = stop !== null && stop < count ? stop : null;
  const stopAt = known ?? Math.min(range.top, after - 1);
  const visible = Array.from({ length: after - first }, (_, at) => first + at);
  const indexes =
    known === null || (known >= first && known < after)
      ? visible
      : known < first
        ? [known, ...visible]
        : [...visible, known];
  return (
    <div
      ref={box}
      class="virtual"
      role="list"
      aria-label={label}
      style={{ height: `${places.top(count)}px` }}
    >
      {indexes.map((index) => (
        <div
          key={keyOf(index)}
          role="listitem"
          aria-posinset={index + 1}
          aria-setsize={total ?? -1}
          class={rowClass?.(index) ?? ""}
          style={{
            transform: `translateY(${places.top(index)}px)`,
            height: `${places.top(index + 1) - places.top(index)}px`,
          }}
        >
          {row(index, index === stopAt)}
        </div>
      ))}
    </div>
  );
}

function evenPlaces(rowHeight: number): RowPlaces {
  return { top: (index) => index * rowHeight, at: (top) => Math.floor(top / rowHeight) };
}

function visibleRows(box: HTMLElement, count: number, places: RowPlaces): Range {
  const { top } = box.getBoundingClientRect();
  const window = scrollerOf(box)?.getBoundingClientRect();
  const [from, to] = window === undefined ? [0, innerHeight] : [window.top, window.bottom];
  const hidden = from - top;
  const cut = hidden <= 0 ? 0 : places.at(hidden);
  const seen = Math.min(hidden > places.top(cut) ? cut + 1 : cut, Math.max(0, count - 1));
  const first = Math.max(0, seen - SPARE_ROWS);
  const last = to <= top ? -1 : places.at(to - top);
  const after = Math.max(first, last + 1 + SPARE_ROWS);
  return { first: Math.min(first, count), top: seen, after: Math.min(after, count) };
}

function scrollerOf(box: HTMLElement): Element | null {
  return box.closest("[data-scrolls]");
}
