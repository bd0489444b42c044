import { saveScroll, restoreScroll } from "#dashboard/router/scrolling.ts";
import { isWithinDashboard, type PageRoute, pathTo, type Route, routeAt } from "#dashboard/router/route.ts";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";

const CHANGED = "gantry:navigated";

/** Navigates to a page, like a click on a link. */
export function goTo(route: PageRoute, { replace = false }: { readonly replace?: boolean } = {}): void {
  go(pathTo(route), replace);
}

/**
 * For actions that take time: the returned function navigates to a page, unless the user has left the current page in
 * the meantime.
 */
export function goFromHere(): (route: PageRoute) => void {
  const here = location.pathname;
  return (route) => {
    if (location.pathname === here) goTo(route);
  };
}

function go(href: string, replace: boolean): void {
  if (replace) history.replaceState(null, "", href);
  else {
    saveScroll();
    history.pushState(null, "", href);
  }
  // The new page takes the focus only if no element has it.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  globalThis.dispatchEvent(new Event(CHANGED));
  globalThis.scrollTo(0, 0);
}

/** Navigates on clicks on links within the dashboard, without loading the page. Call it once. */
export function followLinks(): void {
  // The browser would restore the scroll position before the page is rendered.
  history.scrollRestoration = "manual";
  globalThis.addEventListener("popstate", restoreScroll);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    const isHere = url.origin === location.origin && isWithinDashboard(url.pathname);
    // The browser handles links to an anchor of the same page.
    const isSamePage = url.pathname === location.pathname && url.hash !== "";
    if (!isHere || isSamePage) return;
    event.preventDefault();
    go(link.href, false);
  });
}

/** The route of the current address. */
export function useRoute(): Route {
  return routeAt(useBrowserValue(() => location.pathname, CHANGED, "popstate"));
}
