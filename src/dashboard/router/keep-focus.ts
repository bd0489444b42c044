/** The elements that can receive the focus: a heading, or the link in a deployment's row. */
const PLACE = ":scope > :is(h1, h2, h3, .version), :scope > header > :is(h1, h2)";

/**
 * Moves the focus to the nearest heading when the focused element is removed from the page, such as the button of a
 * deleted card. Browsers would drop the focus. Call it once.
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
    // Only for keyboard users: with the mouse, the page may have been scrolled away on purpose.
    if (place?.matches(":focus-visible")) place.scrollIntoView({ block: "nearest" });
  }).observe(document.body, { childList: true, subtree: true });
}

/** An element and its ancestors, the innermost first. */
function pathOf(element: Element): Element[] {
  const { parentElement } = element;
  return parentElement === null ? [element] : [element, ...pathOf(parentElement)];
}

/**
 * The first heading in the element or its ancestors. null in a virtual list: a row that was scrolled out of view still
 * exists, and Tab continues from its place.
 */
function placeIn(left: Element): HTMLElement | null {
  if (left.matches(".virtual")) return null;
  const place = left.querySelector<HTMLElement>(PLACE);
  if (place === null) return left.parentElement === null ? null : placeIn(left.parentElement);
  if (!place.hasAttribute("href")) place.tabIndex = -1;
  return place;
}
