import { join } from "node:path";

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { signInLink } from "#contract/public-paths.ts";
import { AccountId } from "#contract/ids.ts";
import { newSignInCode } from "../../scripts/shared/sign-in-code.ts";
import { CONDITION_MS } from "../support/patience.ts";
import { createApi } from "../support/journey-api.ts";
import { writeDatabase } from "../support/write-database.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, visit, account } = await useDashboard({ installation: "own" });
const served = join(home, "installation");

function newLinks(): { readonly first: string; readonly second: string } {
  const made = [1, 2].map(() => newSignInCode({ id: AccountId.parse(local.account_id) }, Date.now()));
  writeDatabase(
    served,
    made.map(({ statement }) => statement),
  );
  const [first = "", second = ""] = made.map(({ code }) => signInLink(local.url, code));
  return { first, second };
}

/** The session of a browser. */
async function sessionOf(
  page: Page,
): Promise<{ readonly id: string; readonly isGood: () => Promise<boolean> }> {
  const kept = await page.evaluate<string>("localStorage.getItem('gantry.session')");
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(kept));
  const ask = () => createApi(local.url, token).call("GET", "/v1/account");
  const { id } = Account.parse((await ask()).json).token;
  return { id, isGood: async () => (await ask()).status === 200 };
}

describe("a session that expires", () => {
  it("warns before, continues with a new link, and keeps unsaved input after its end", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    const links = newLinks();
    await page.goto(links.first);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    const notice = page.getByText("You will be signed out");
    expect(await notice.count()).toBe(0);

    const first = await sessionOf(page);
    const sql = "UPDATE tokens SET expires_at = ? WHERE id = ?";
    writeDatabase(served, [{ sql, parameters: [Date.now() + 600_000, first.id] }]);
    const comeBack = async () => {
      await page.reload();
      await page.locator(".projects").waitFor();
      return await notice.count();
    };
    // The Worker caches the session for some seconds.
    await expect.poll(comeBack, { interval: 1_000 }).toBe(1);

    await page.goto(links.second);
    await page.locator(".projects").waitFor();
    expect(await notice.count()).toBe(0);
    const second = await sessionOf(page);
    // The new session ends the previous one.
    await expect.poll(first.isGood).toBe(false);
    expect(await second.isGood()).toBe(true);

    const settings = `/app/projects/${local.project_id}/settings/releases`;
    await page.goto(local.url + settings);
    const field = page.getByLabel("Releases to keep");
    const saved = await field.inputValue();
    await field.fill("9");
    await api.call("DELETE", `/v1/tokens/${second.id}`);
    // While the page receives events, it may ask again only after a minute.
    await page.getByText("Your session has ended.").waitFor({ timeout: 2 * CONDITION_MS });
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(settings);

    // Signing in by a link loads the page again.
    await signInWithToken(page, local, settings);
    await page.getByText("Unsaved changes.").waitFor();
    expect(await field.inputValue()).toBe("9");
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await field.inputValue()).toBe(saved);
    await field.fill("8");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInWithToken(page, local, settings);
    await field.waitFor();
    expect(await field.inputValue()).toBe(saved);
  });
});

describe("a session that is revoked elsewhere", () => {
  it("ends on the screen when its window gets the focus", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    const focus = () => page.evaluate("dispatchEvent(new Event('focus'))");
    const asked = page.waitForResponse((response) => response.url().endsWith("/v1/account"));
    await focus();
    expect((await asked).status()).toBe(200);
    const { id } = await sessionOf(page);
    await api.call("DELETE", `/v1/tokens/${id}`);
    await focus();
    await page.getByText("Your session has ended.").waitFor();
  });
});

describe("signing out", () => {
  it("ends the session in the browser while the control plane does not answer, and revokes it", async () => {
    const { page, context } = await visit();
    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    const { isGood } = await sessionOf(page);
    const other = await context.newPage();
    await other.goto(`${local.url}/app/`);
    await other.locator(".projects").waitFor();
    const answer = Promise.withResolvers<void>();
    await page.route("**/v1/session", async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [page, other]) await tab.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(await page.evaluate("localStorage.getItem('gantry.session')")).toBe(null);
    expect(await isGood()).toBe(true);
    answer.resolve();
    await expect.poll(isGood).toBe(false);
  });
});

describe("unsaved input", () => {
  const settings = `/app/projects/${local.project_id}/settings/releases`;
  const draftsOf = (page: Page) =>
    page.evaluate<string[]>("Object.keys(sessionStorage).filter((key) => key.startsWith('gantry.draft '))");

  it("is deleted when another account signs in, in this tab or another one", async () => {
    const { page, context } = await visit({ expected: /status of 40[14]/ });
    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    const { id } = await sessionOf(page);
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto(local.url + settings);
      await tab.getByLabel("Releases to keep").fill("9");
      await tab.getByText("Unsaved changes.").waitFor();
    }
    await api.call("DELETE", `/v1/tokens/${id}`);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByText("Your session has ended.").waitFor();
    expect(await draftsOf(page)).toHaveLength(1);
    const { token } = account("second");
    await signInWithToken(page, { url: local.url, token }, settings);
    await page.getByText("It may have been deleted.").waitFor();
    await other.getByText("It may have been deleted.").waitFor();
    expect(await draftsOf(page)).toEqual([]);
    expect(await draftsOf(other)).toEqual([]);

    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    await other.getByLabel("Releases to keep").fill("8");
    // As in a tab that the browser opens again: it was closed while another account signed in.
    await page.evaluate("sessionStorage.setItem('gantry.drafts', 'acct_other')");
    await page.evaluate("sessionStorage.setItem('gantry.draft of another account', '{}')");
    await page.reload();
    await page.locator(".projects").waitFor();
    expect(await draftsOf(page)).toEqual([]);
    expect(await draftsOf(other)).toHaveLength(1);
  });

  it("is deleted when the account that signs in cannot be read, because it may be another one", async () => {
    const { page } = await visit({ expected: /status of 50[03]|Failed to load resource/ });
    const signIn = async () => {
      const { first } = newLinks();
      await page.route("**/v1/account", (route) => route.fulfill({ status: 503 }), { times: 1 });
      await page.goto("about:blank");
      await page.goto(first);
      await page.locator(".projects").waitFor();
    };
    await signIn();
    await page.goto(local.url + settings);
    await page.getByLabel("Releases to keep").fill("9");
    await page.getByText("Unsaved changes.").waitFor();
    expect(await draftsOf(page)).toHaveLength(1);
    await signIn();
    expect(await draftsOf(page)).toEqual([]);
  });
});

describe("a session in several tabs", () => {
  const settings = `/app/projects/${local.project_id}/settings/releases`;

  it("is shared with a new tab, renewed in all of them, and ends with a sign-out in one", async () => {
    const { page, context } = await visit({ expected: /status of 401/ });
    const links = newLinks();
    await page.goto(links.first);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    const first = await sessionOf(page);

    const other = await context.newPage();
    // A tab in the background may get the event of another tab late: here, never.
    const deaf = await context.newPage();
    await deaf.addInitScript("addEventListener('storage', (event) => event.stopImmediatePropagation())");
    await deaf.goto(`${local.url}/app/servers`);
    await deaf.getByRole("heading", { name: "Servers" }).waitFor();
    await deaf.locator(".status").first().waitFor();
    await other.goto(local.url + settings);
    const field = other.getByLabel("Releases to keep");
    await field.fill("9");

    await page.goto(links.second);
    await page.locator(".projects").waitFor();
    const second = await sessionOf(page);
    expect(second.id).not.toBe(first.id);
    await expect.poll(first.isGood, { timeout: 60_000 }).toBe(false);
    // Its requests are refused, and sent again with the new session.
    const answered = deaf.waitForResponse(
      (response) => response.url().endsWith("/v1/servers") && response.status() === 200,
    );
    await deaf.evaluate("dispatchEvent(new Event('online'))");
    await answered;
    await deaf.getByRole("link", { name: "Charts" }).click();
    await deaf.getByRole("heading", { name: "Charts" }).waitFor();
    expect((await sessionOf(deaf)).id).toBe(second.id);
    // The tab was not reloaded, and its input is still there.
    await other.getByText("Unsaved changes.").waitFor();
    expect(await field.inputValue()).toBe("9");

    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    await expect.poll(second.isGood, { timeout: 60_000 }).toBe(false);
    expect(await other.getByText("Your session has ended.").count()).toBe(0);

    // A pasted link, in a tab that shows the sign-in page: only the fragment of its address changes.
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(page.url()).toBe(`${local.url}/app/sign-in`);
    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    await field.waitFor();
    expect(await other.getByText("Unsaved changes.").count()).toBe(0);
  });

  it("of another account replaces everything that other tabs show", async () => {
    const { page, context } = await visit({ expected: /status of 40[14]/ });
    await signInWithToken(page, local, "/app/");
    const other = await context.newPage();
    await other.goto(`${local.url}/app/`);
    await other.getByRole("link", { name: "hello-site" }).first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    const { token } = account("second");
    await signInWithToken(page, { url: local.url, token }, "/app/");
    await other.getByRole("link", { name: "second" }).waitFor();
    expect(await other.getByText("hello-site").count()).toBe(0);

    // Without a sign-out before: a link that signs in to another account.
    await page.goto(newLinks().first);
    await page.locator(".projects").waitFor();
    await other.getByRole("link", { name: "hello-site" }).first().waitFor();
  });
});
