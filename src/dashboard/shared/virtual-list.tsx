import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows rendered beyond each edge of the visible area, so that fast scrolling shows no gap. */
const SPARE_ROWS = 8;
/** With this many rows left below, more are requested. */
const NEAR_END_ROWS = 50;

export type VirtualListProps = {
  readonly count: number;
  /** In pixels, the same for each row. */
  readonly rowHeight: number;
  readonly label: string;
  /** `isStop`: the one row that Tab reaches. */
  readonly row: (index: number, isStop: boolean) => ComponentChildren;
  /** The row that Tab reaches while it is visible; otherwise it is the first visible row. */
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
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<Range>({ first: 0, top: 0, after: 40 });

  useLayoutEffect(() => {
    const update = () => {
      if (box.current === null) return;
      const next = visibleRows(box.current, count, rowHeight);
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
  }, [count, rowHeight, onEnd]);

  const after = Math.min(range.after, count);
  const first = Math.min(range.first, after);
  const isStopShown = stop !== null && stop >= first && stop < after;
  const stopAt = isStopShown ? stop : Math.min(range.top, after - 1);
  const indexes = Array.from({ length: after - first }, (_, at) => first + at);
  return (
    <div
      ref={box}
      class="virtual"
      role="list"
      aria-label={label}
      style={{ height: `${count * rowHeight}px` }}
    >
      {indexes.map((index) => (
        <div
          key={keyOf(index)}
          role="listitem"
          aria-posinset={index + 1}
          aria-setsize={total ?? -1}
          class={rowClass?.(index) ?? ""}
          style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
        >
          {row(index, index === stopAt)}
        </div>
      ))}
    </div>
  );
}

function visibleRows(box: HTMLElement, count: number, rowHeight: number): Range {
  const { top } = box.getBoundingClientRect();
  const window = scrollerOf(box)?.getBoundingClientRect();
  const [from, to] = window === undefined ? [0, innerHeight] : [window.top, window.bottom];
  const seen = Math.min(Math.max(0, Math.ceil((from - top) / rowHeight)), Math.max(0, count - 1));
  const first = Math.max(0, seen - SPARE_ROWS);
  const after = Math.max(first, Math.ceil((to - top) / rowHeight) + SPARE_ROWS);
  return { first: Math.min(first, count), top: seen, after: Math.min(after, count) };
}

function scrollerOf(box: HTMLElement): Element | null {
  return box.closest("[data-scrolls]");
}
