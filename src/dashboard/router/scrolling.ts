import * as z from "zod/mini";

const State = z.object({ top: z.number() });
/** How long a page may take to load enough content to scroll. */
const TIMEOUT_MS = 1_000;

/** Stores the scroll position in the history entry of the current page. */
export function saveScroll(): void {
  history.replaceState({ top: globalThis.scrollY }, "");
}

/**
 * Scrolls to the position stored in the history entry, once the page is long enough. Entries for an anchor, such as a
 * line of a log, have no stored position.
 */
export function restoreScroll(): void {
  const state = State.safeParse(history.state);
  if (!state.success) return;
  const { top } = state.data;
  const until = performance.now() + TIMEOUT_MS;
  const go = () => {
    globalThis.scrollTo(0, top);
    if (globalThis.scrollY < top && performance.now() < until) requestAnimationFrame(go);
  };
  requestAnimationFrame(go);
}
