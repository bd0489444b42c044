import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Of the place for a chart on a wide screen: what is drawn at first, before it can be measured. */
const USUAL_WIDTH = 1_040;

/** How wide an element is shown, in pixels: what is drawn to it keeps its size of text on every screen. */
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
