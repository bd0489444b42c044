import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { SECURITY_TEXT_PATH } from "#contract/public-paths.ts";
import { createApp } from "#worker/http/app.ts";
import { routeSecurityText } from "#worker/routes/security-text.ts";
import { call, problemOf } from "../../support/worker/call.ts";

const now = Date.parse("2026-11-22T00:00:00Z");

async function textOf(contact: string): Promise<Response> {
  const app = createApp();
  routeSecurityText(app, { now: () => now });
  return await app.request(SECURITY_TEXT_PATH, {}, { ...env, SECURITY_CONTACT: contact });
}

describe("security.txt", () => {
  it.each(["mailto:security@example.com", "https://example.com/security", "tel:+49-30-123456"])(
    "contains the contact %s, and expires in the future",
    async (contact) => {
      const response = await textOf(contact);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      const fields = new Map(
        (await response.text())
          .trimEnd()
          .split("\n")
          .map((line) => /^([A-Za-z-]+): (.+)$/.exec(line)?.slice(1) ?? ["", line])
          .map(([name = "", value = ""]) => [name, value]),
      );
      expect([...fields.keys()]).toEqual(["Contact", "Expires", "Preferred-Languages"]);
      expect(fields.get("Contact")).toBe(contact);
      const days = (Date.parse(fields.get("Expires") ?? "") - now) / 86_400_000;
      expect(days).toBeGreaterThan(30);
      expect(days).toBeLessThan(365);
    },
  );

  it.each([
    "",
    "security@example.com",
    "javascript:alert(1)",
    "mailto:a@b\nContact: tel:1",
    "http://example.com",
  ])("is not there for the contact %j", async (contact) => expect((await textOf(contact)).status).toBe(404));

  it("is 404 without a contact, and supports only GET and HEAD", async () => {
    expect(await problemOf(await call(SECURITY_TEXT_PATH))).toMatchObject({ code: "not_found" });
    const written = await call(SECURITY_TEXT_PATH, { method: "POST" });
    expect(await problemOf(written)).toMatchObject({ code: "method_not_allowed" });
  });
});
