import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { CLIENT, serveOpenIdProvider } from "../support/receivers/open-id-provider.ts";
import { violations } from "./support/browser.ts";
import { addDevice, becomeOwner } from "./support/passkeys.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { named, link, visit } = await useDashboard({ account: "empty" });

/** The console logs refused requests. Only the browser's navigation reaches the provider. */
const expected = /status of 4\d\d|^request to http:\/\/127\.0\.0\.1:\d+\/(?:auth|interaction)\b/;

let provider: Awaited<ReturnType<typeof serveOpenIdProvider>>;

beforeAll(async () => {
  provider = await serveOpenIdProvider([`${named}/app/sign-in/callback`]);
  const people = {
    ada: { email: "ada@sso.example", email_verified: true, name: "Ada at work", groups: ["admins"] },
    grace: { email: "grace@sso.example", email_verified: true, name: "Grace Hopper", groups: ["dev"] },
  };
  await fetch(`${provider.url}/control`, { method: "PUT", body: JSON.stringify({ people }) });
});

afterAll(() => provider.close());

/** Whom the provider signs in at the next visit of this tab: its page asks nobody. */
async function be(page: Page, login: string): Promise<void> {
  await page.unroute(`${provider.url}/auth?**`);
  await page.route(`${provider.url}/auth?**`, async (route) => {
    await route.continue({ url: `${route.request().url()}&login_hint=${login}` });
  });
}

it("is set up, tested and required by an owner, and signs people in and out", async () => {
  const tab = await visit({ expected });
  const { page } = tab;
  await addDevice(tab);
  await becomeOwner(page, link, "Ada L.");
  const dialog = page.getByRole("dialog");
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("link", { name: "Sign-in settings" }).click();
  await page.getByText("No single sign-on yet").waitFor();
  await button("Add single sign-on").first().click();
  await dialog.getByLabel("Issuer").fill(`${provider.url}/wrong`);
  await dialog.getByLabel("Name", { exact: true }).fill("Keycloak");
  await dialog.getByLabel("Client ID").fill(CLIENT.id);
  await dialog.getByLabel("Client secret").fill(CLIENT.secret);
  await dialog.getByLabel("Who joins by signing in").selectOption("group");
  await dialog.getByLabel("Trusted domains").fill("sso.example");
  await dialog.getByRole("button", { name: "Give access to a group" }).click();
  await dialog.getByLabel("Group", { exact: true }).fill("dev");
  await dialog.getByLabel("Role", { exact: true }).selectOption("Deployer");
  await dialog.getByText("Advanced").click();
  await dialog.getByLabel("Scopes").fill("openid email profile groups");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("status 404").waitFor();
  await dialog.getByLabel("Issuer").fill(provider.url);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Keycloak" }).waitFor();

  await be(page, "grace");
  await button("Test Keycloak").click();
  await page.getByText("The connection works.").waitFor();
  await page.getByText("You would join the account.").waitFor();
  await page.getByText("Deployer of all projects").waitFor();
  expect(new URL(page.url()).search).toBe("");

  await button("Require for all members").click();
  await page.getByText("Sign in by Keycloak first").waitFor();

  // The owner adds their own identity, and confirms by it.
  await page.getByRole("link", { name: "Ada L.", exact: true }).click();
  await page.context().clearCookies();
  await be(page, "ada");
  await button("Add Keycloak").click();
  await page.getByRole("table", { name: "Identities" }).getByText("ada@sso.example").waitFor();
  expect(new URL(page.url()).pathname).toBe("/app/profile");
  await button("Remove Keycloak").click();
  await dialog.getByText("You can no longer sign in by it.").waitFor();
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await page.keyboard.press("Escape");

  await button("Sign out").click();
  const signOut = page.getByRole("link", { name: "Sign out there too" });
  await page.getByText("Use single sign-on").click();
  expect(await signOut.count()).toBe(0);
  await page.getByLabel("E-mail address at work").fill("ada@sso.example");
  await page.getByRole("button", { name: "Continue" }).click();
  await button("Sign in with Keycloak").click();
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("link", { name: "Sign-in settings" }).click();
  await button("Require for all members").click();
  await page.getByText("required", { exact: true }).waitFor();
  await button("Sign out").click();
  expect(await signOut.getAttribute("href")).toContain(`${provider.url}/session/end?client_id=gantry`);

  // Somebody joins by a group, in another browser.
  const guest = await visit({ expected });
  await guest.page.goto(`${named}/app/sign-in`);
  await guest.page.getByText("Use single sign-on").click();
  await guest.page.getByLabel("E-mail address at work").fill("grace@sso.example");
  await guest.page.getByRole("button", { name: "Continue" }).click();
  await be(guest.page, "grace");
  await guest.page.getByRole("button", { name: "Sign in with Keycloak" }).click();
  await guest.page.getByRole("link", { name: "Grace Hopper" }).waitFor();
  expect(await guest.page.evaluate("sessionStorage.getItem('gantry.sign-in')")).toBeNull();
  expect((await guest.context.cookies(named)).length).toBe(0);

  // An answer that another tab has started signs nobody in.
  const victim = await visit({ expected });
  await victim.page.goto(`${named}/app/sign-in/callback?code=x&state=y`);
  await victim.page.getByText("This tab has not started a sign-in.").waitFor();
  expect(new URL(victim.page.url()).search).toBe("");
});
