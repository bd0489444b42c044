import { Appearance, APPEARANCE_KEY, colorSchemeOf } from "#contract/appearance.ts";
import { Signal } from "#dashboard/data/signal.ts";

/** The colors that the user has chosen for this browser. All its tabs share them. */
export const appearance = new Signal<Appearance>("system");

/** Shows the colors that are stored, and follows what other tabs store. Call it once, before the page is drawn. */
export function followAppearance(): void {
  show();
  globalThis.addEventListener("storage", show);
}

/** Stores a choice and shows it. */
export function setAppearance(chosen: Appearance): void {
  if (chosen === "system") localStorage.removeItem(APPEARANCE_KEY);
  else localStorage.setItem(APPEARANCE_KEY, chosen);
  show();
}

function show(): void {
  const stored = localStorage.getItem(APPEARANCE_KEY);
  document.documentElement.style.colorScheme = colorSchemeOf(stored);
  appearance.set(Appearance.safeParse(stored).data ?? "system");
}
