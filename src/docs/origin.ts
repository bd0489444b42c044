/**
 * Replaces the example's address in the page with this installation's address. Some pages also name the example's host
 * alone, as in `npm run release -- --domain gantry.example.com`: they need an installation at a domain. If this
 * installation has no domain, as under `npm start`, such a page keeps the example everywhere.
 */
export function fillOrigin(): void {
  const hosts = document.querySelectorAll(".origin-host");
  const hasDomain = location.protocol === "https:" && location.port === "";
  if (hosts.length > 0 && !hasDomain) return;
  for (const element of hosts) element.textContent = location.host;
  for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin;
}
