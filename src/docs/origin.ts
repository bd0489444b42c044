/**
 * Replaces the example's address in the page with that of this installation. A page that names the example by its host
 * alone, such as `npm run release -- --domain gantry.example.com`, says how to make an installation at a domain. This one
 * cannot be its example if it has none, as under `npm start`; then the page keeps the example everywhere.
 */
export function fillOrigin(): void {
  const hosts = document.querySelectorAll(".origin-host");
  const hasDomain = location.protocol === "https:" && location.port === "";
  if (hosts.length > 0 && !hasDomain) return;
  for (const element of hosts) element.textContent = location.host;
  for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin;
}
