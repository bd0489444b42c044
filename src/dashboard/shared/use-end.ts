import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A position this close to the end, in pixels, counts as the end. */
const NEAR_PX = 24;

/**
 * Keeps a box scrolled to its end while it grows, unless the user has scrolled up.
 * @param content changes when the box grows
 */
export function useEnd<Box extends HTMLElement>(
  content: unknown,
): { readonly box: RefObject<Box | null>; readonly onScroll: () => void } {
  const box = useRef<Box>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [content]);
  const onScroll = () => {
    if (box.current === null) return;
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  return { box, onScroll };
}
