import { SECURITY_CONTACT, SECURITY_TEXT_PATH } from "#contract/public-paths.ts";
import type { App } from "#worker/http/app.ts";

/** How far in the future Expires is. RFC 9116 recommends less than a year. */
const LASTS_MS = 90 * 86_400_000;

/** Serves security.txt with the contact for reports of vulnerabilities. 404 if SECURITY_CONTACT is empty. */
export function routeSecurityText(app: App, clock: { now(): number }): void {
  app.get(SECURITY_TEXT_PATH, (c) => {
    const contact: string = c.env.SECURITY_CONTACT;
    if (!SECURITY_CONTACT.test(contact)) return c.notFound();
    const expires = new Date(clock.now() + LASTS_MS).toISOString();
    return c.body(`Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`, 200, {
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });
}
