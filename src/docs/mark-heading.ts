/** The part of the window in which a section counts as being read. */
const READ_PART = "-10% 0px -75% 0px";

/** Marks the link of the navigation that leads to the section that is read now. */
export function markHeading(): void {
  const links = new Map<Element, HTMLAnchorElement[]>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a[href*="#"]')) {
    if (link.pathname !== location.pathname) continue;
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (target !== null) links.set(target, [...(links.get(target) ?? []), link]);
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        for (const link of [...links.values()].flat()) link.removeAttribute("aria-current");
        for (const link of links.get(target) ?? []) link.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: READ_PART },
  );
  for (const target of links.keys()) observer.observe(target);
}
