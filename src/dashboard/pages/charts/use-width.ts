import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of a chart on a wide screen, used for the first render. */
const USUAL_WIDTH = 1_040;

/** The width of an element in pixels. A chart drawn to it has the same text size on every screen. */
export function useWidth<Shown extends Element>(): [RefObject<Shown | null>, number] {
  const element = useRef<Shown>(null);
  const [width, setWidth] = useState(USUAL_WIDTH);
  useLayoutEffect(() => {
    const shown = element.current;
    if (shown === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
