import { useEffect } from "preact/hooks";

/**
 * Calls `onFocus` when the user comes back to this window. Watched data is read again when a hidden tab is shown, but a
 * tab beside another window was visible all the time: its session may have ended meanwhile.
 */
export function useWindowFocus(onFocus: () => unknown): void {
  useEffect(() => {
    const focused = () => void onFocus();
    globalThis.addEventListener("focus", focused);
    return () => globalThis.removeEventListener("focus", focused);
  }, [onFocus]);
}
