import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A position this close to the end of the page, in pixels, counts as the end. */
const NEAR_PX = 40;

/** Whether the window shows the end of the page. @param added pixels of the page that do not count, because they are new */
export function isAtEnd(added = 0): boolean {
  return scrollY + innerHeight >= document.documentElement.scrollHeight - added - NEAR_PX;
}

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
      if (scrollY > lastTop.current && isAtEnd()) setIsFollowing(true);
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
