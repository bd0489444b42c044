import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows beyond both edges of what can be seen, so that a quick scroll shows no gap. */
const SPARE_ROWS = 8;
/** With so few rows left to be scrolled to, more of them are asked for. */
const NEAR_END_ROWS = 50;

export type VirtualListProps = {
  readonly count: number;
  /** In pixels; each row has it. */
  readonly rowHeight: number;
  readonly label: string;
  /** `isStop`: of all rows this is the one that the keyboard comes to. */
  readonly row: (index: number, isStop: boolean) => ComponentChildren;
  /** The row that the keyboard comes to while it can be seen; else it is the first that can. */
  readonly stop?: number | null;
  readonly keyOf: (index: number) => string | number;
  /** The last rows will soon be seen: more of them may be wanted. */
  readonly onEnd?: () => unknown;
  /** How many rows there are in all; where that is not known, they are not numbered. */
  readonly total?: number;
  readonly rowClass?: (index: number) => string;
};

/** `top`: the first that can be seen. */
type Range = { readonly first: number; readonly top: number; readonly after: number };

/**
 * A list of which only the rows that can be seen are in the page, however many there are. It scrolls with whatever it is
 * in: the page, or a box.
 */
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
    // Scrolling does not bubble, but it can be seen on its way down.
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
