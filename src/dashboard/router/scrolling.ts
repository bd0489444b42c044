import * as z from "zod/mini";

const State = z.object({ top: z.number() });
/** What a page shows at first may be read first. */
const PATIENCE_MS = 1_000;

/** Keeps with the page that is left how far it was scrolled. */
export function keepScroll(): void {
  history.replaceState({ top: globalThis.scrollY }, "");
}

/**
 * Goes to where the page that is come back to was left, once there is enough of it. A place within a page, such as a line
 * of a log, was not left for another page, and nothing is kept with it.
 */
export function restoreScroll(): void {
  const state = State.safeParse(history.state);
  if (!state.success) return;
  const { top } = state.data;
  const until = performance.now() + PATIENCE_MS;
  const go = () => {
    globalThis.scrollTo(0, top);
    if (globalThis.scrollY < top && performance.now() < until) requestAnimationFrame(go);
  };
  requestAnimationFrame(go);
}
