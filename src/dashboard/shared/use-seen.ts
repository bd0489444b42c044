import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Elements this close to the visible area count as seen. */
const MARGIN = "200px";

/** Whether an element is in the visible area, or close to it. */
export function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      // A busy window gets several changes at once, the latest as the last one.
      (entries) => setIsSeen(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isSeen;
}
