import { keepScroll, restoreScroll } from "#dashboard/router/scrolling.ts";
import { isWithinDashboard, type PageRoute, pathTo, type Route, routeAt } from "#dashboard/router/route.ts";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";

const CHANGED = "gantry:navigated";

/** Goes to a page, as a click on a link to it does. */
export function goTo(route: PageRoute, { replace = false }: { readonly replace?: boolean } = {}): void {
  go(pathTo(route), replace);
}

/**
 * For what takes a while: goes to a page once it is done, unless somebody has gone elsewhere meanwhile.
 * @returns to be called then
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
    keepScroll();
    history.pushState(null, "", href);
  }
  // What had the keyboard may stay, such as a link of the frame: the page that is come to takes it.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  globalThis.dispatchEvent(new Event(CHANGED));
  globalThis.scrollTo(0, 0);
}

/** Follows clicks on links within the dashboard without loading the page anew. Called once. */
export function followLinks(): void {
  // The browser would do it before the page is there.
  history.scrollRestoration = "manual";
  globalThis.addEventListener("popstate", restoreScroll);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    const isHere = url.origin === location.origin && isWithinDashboard(url.pathname);
    // A place within the page is the browser's own business.
    const isSamePage = url.pathname === location.pathname && url.hash !== "";
    if (!isHere || isSamePage) return;
    event.preventDefault();
    go(link.href, false);
  });
}

/** The route that the address bar shows, as it changes. */
export function useRoute(): Route {
  return routeAt(useBrowserValue(() => location.pathname, CHANGED, "popstate"));
}
