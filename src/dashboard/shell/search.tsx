import { useEffect } from "preact/hooks";

import { lazy } from "#dashboard/shared/lazy.tsx";

export const SearchDialog = lazy(async () => (await import("#dashboard/after-first-page.ts")).SearchDialog);

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opens the search at Ctrl+K or ⌘K. A dialog that is open stays: it may have unsaved input. */
export function useSearchKey(open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = IS_APPLE ? event.metaKey : event.ctrlKey;
      if (!hasModifier || event.key.toLowerCase() !== "k" || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) open();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

export function SearchButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      class="search-button"
      aria-keyshortcuts={IS_APPLE ? "Meta+K" : "Control+K"}
      onClick={onClick}
    >
      Search <kbd aria-hidden="true">{IS_APPLE ? "⌘K" : "Ctrl K"}</kbd>
    </button>
  );
}
