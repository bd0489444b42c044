import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A position this close to the end of the page, in pixels, counts as the end. */
const NEAR_PX = 40;

export type Follow = {
  readonly isFollowing: boolean;
  readonly setIsFollowing: (isFollowing: boolean) => void;
};

/**
 * Keeps the page scrolled to its end while it grows, until the user scrolls up, and again from the end.
 * @param content changes when the page grows
 */
export function useFollow(
  content: unknown,
  { starts, hasEnded }: { readonly starts: boolean; readonly hasEnded: boolean },
): Follow {
  const [isFollowing, setIsFollowing] = useState(starts);
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    if (isFollowing && !hasEnded && !isFocusElsewhere())
      scrollTo({ top: document.documentElement.scrollHeight });
  }, [content, isFollowing]);
  useEffect(() => {
    lastTop.current = scrollY;
    const onScroll = () => {
      // New lines also move the end away. Only scrolling up stops following.
      if (scrollY < lastTop.current) setIsFollowing(false);
      const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - NEAR_PX;
      if (scrollY > lastTop.current && isAtEnd) setIsFollowing(true);
      lastTop.current = scrollY;
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  return { isFollowing: isFollowing && !hasEnded, setIsFollowing };
}

/** Whether the keyboard's focus is on the page but not in the log: it must stay in view. */
function isFocusElsewhere(): boolean {
  const focused = document.querySelector("main :focus-visible");
  return focused !== null && focused.closest(".log") === null;
}
