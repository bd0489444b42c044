import { SECURITY_CONTACT, SECURITY_TEXT_PATH } from "#contract/security-text.ts";
import type { App } from "#worker/http/app.ts";

/** Worked out at each request, so it never is in the past. RFC 9116 wants less than a year. */
const LASTS_MS = 90 * 86_400_000;

/** Whom to tell of a weakness of this installation. Nobody can know that but who runs it: without a contact there is none. */
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
