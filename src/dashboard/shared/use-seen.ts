import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** So far beyond the edge of the window counts as being there. */
const MARGIN = "200px";

/** Whether an element can be seen: what cannot need not be read. */
export function useSeen<Shown extends Element>(): [RefObject<Shown | null>, boolean] {
  const element = useRef<Shown>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(([entry]) => setIsSeen(entry?.isIntersecting ?? false), {
      rootMargin: MARGIN,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, isSeen];
}
