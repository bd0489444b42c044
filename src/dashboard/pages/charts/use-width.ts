import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** How wide an element is shown, in pixels: what is drawn to it keeps its size of text on every screen. */
export function useWidth<Shown extends Element>(usual: number): [RefObject<Shown | null>, number] {
  const element = useRef<Shown>(null);
  const [width, setWidth] = useState(usual);
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
