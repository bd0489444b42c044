/** What says where one is: a heading of its own, or in the row of a deployment the link to it. */
const PLACE = ":scope > :is(h1, h2, h3, .version), :scope > header > :is(h1, h2)";

/**
 * Brings the keyboard to the nearest heading, where what it was at is taken out of the page: a button whose work is done,
 * a form that has been sent, a card of something that was removed. Else it would be nowhere. Called once.
 */
export function keepFocus(): void {
  let path: readonly Element[] = [];
  document.addEventListener("focusin", ({ target }) => {
    path = target instanceof Element ? pathOf(target) : [];
  });
  new MutationObserver(() => {
    const [last] = path;
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
    const left = path.find((element) => element.isConnected);
    path = [];
    const place = left === undefined ? null : placeIn(left);
    place?.focus({ preventScroll: true });
    // Whoever has used the mouse may have scrolled elsewhere since.
    if (place?.matches(":focus-visible")) place.scrollIntoView({ block: "nearest" });
  }).observe(document.body, { childList: true, subtree: true });
}

/** An element and all that it is in, the innermost first. */
function pathOf(element: Element): Element[] {
  const { parentElement } = element;
  return parentElement === null ? [element] : [element, ...pathOf(parentElement)];
}

/** Rows that were scrolled out of a long list have not gone: Tab goes on from where they were. */
function placeIn(left: Element): HTMLElement | null {
  if (left.matches(".virtual")) return null;
  const place = left.querySelector<HTMLElement>(PLACE);
  if (place === null) return left.parentElement === null ? null : placeIn(left.parentElement);
  if (!place.hasAttribute("href")) place.tabIndex = -1;
  return place;
}
