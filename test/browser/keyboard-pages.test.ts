import { describe, expect, it } from "vitest";

import { hasFocus, phone } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard();

/** Another file removes a server that this one may be loading. */
const expected = /status of 404/;

describe("Tab", () => {
  it("moves through every page in reading order, with a visible focus and no trap", async () => {
    const { page } = await visit({ expected });
    const { tabThrough } = keyboardOf(page);
    await page.goto(`${local.url}/app/sign-in`);
    await page.getByLabel("API token").waitFor();
    expect(await tabThrough()).toContain('button "Sign in"');
    await openSignedIn(page, local, "/app/");
    const last = {
      "/app/": 'a "v1"',
      "/app/servers": 'button "Actions for local"',
      "/app/charts": 'summary "Show as table"',
      "/app/tokens": 'button "Actions for flow"',
      "/app/account": 'input "Log retention in days"',
      "/app/projects/new": 'button "Add project"',
      [`/app/projects/${local.project_id}`]: 'button "Actions for v1"',
      [`/app/projects/${local.project_id}/settings`]: 'button "Delete hello-site"',
      [`/app/projects/${local.project_id}/variables`]: 'button "Import .env"',
      [`/app/deployments/${local.deployment_id}`]: 'a "Line 1"',
    };
    for (const [path, stop] of Object.entries(last)) {
      await page.goto(local.url + path);
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator("main .waiting").count()).toBe(0);
      const stops = await tabThrough();
      expect(stops).toContain(stop);
      expect(stops).toContain('a "Skip to content"');
    }
  });

  it("opens the navigation on a narrow screen, which closes on Escape and when a page is chosen", async () => {
    const { page } = await visit({ screen: phone });
    await openSignedIn(page, local, "/app/account");
    const { press, receivesFocus, tabThrough } = keyboardOf(page);
    expect(await tabThrough()).not.toContain('a "Tokens"');
    const menu = page.getByRole("button", { name: "Menu" });
    const navigation = page.getByRole("navigation", { name: "Main" });
    await press(menu);
    await navigation.waitFor();
    expect(await tabThrough()).toContain('button "Sign out"');
    await press(navigation.getByRole("link", { name: "Events" }), "Escape");
    await navigation.waitFor({ state: "hidden" });
    await receivesFocus(menu);
    await page.keyboard.press("Enter");
    await press(navigation.getByRole("link", { name: "Tokens" }));
    await navigation.waitFor({ state: "hidden" });
    await receivesFocus(page.getByRole("heading", { level: 1, name: "Tokens" }));
  });

  it("shows the current section of a project on a narrow screen", async () => {
    const { page } = await visit({ screen: phone });
    await openSignedIn(page, local, `/app/projects/${local.project_id}/settings`);
    const current = page.getByRole("navigation", { name: "Project" }).locator("[aria-current]");
    const right = () => current.evaluate((link) => link.getBoundingClientRect().right);
    await expect.poll(right).toBeLessThanOrEqual(phone.width);
  });

  it("stays within an open dialog", async () => {
    const { page } = await visit();
    const { signIn, press, tabThrough } = keyboardOf(page);
    await signIn(local, `/app/projects/${local.project_id}`);
    await press(page.getByRole("button", { name: "Roll back" }));
    await page.getByRole("dialog").locator("footer").waitFor();
    const stops = await tabThrough();
    expect(stops).toContain('button "Close"');
    expect(stops.join()).not.toMatch(/Skip|Gantry|Settings/);
    expect((await tabThrough("Shift+Tab")).toSorted()).toEqual(stops.toSorted());
  });
});

describe("the first page of a visit", () => {
  it("leaves the focus at the start of the document", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/account");
    await page.reload();
    await page.getByRole("heading", { name: "Account" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await hasFocus(page.getByRole("link", { name: "Skip to content" }))).toBe(true);
  });

  it("leaves the focus there on a page with a text to copy, which the keyboard reaches and copies", async () => {
    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openSignedIn(page, local, `/app/projects/${local.project_id}/repository`);
    await page.reload();
    const key = page.getByLabel("Public key", { exact: true });
    await key.waitFor();
    expect(await hasFocus(page.locator("body"))).toBe(true);
    await page.keyboard.press("Tab");
    expect(await hasFocus(page.getByRole("link", { name: "Skip to content" }))).toBe(true);
    const { goTo, press } = keyboardOf(page);
    await goTo(key);
    await press(page.getByRole("button", { name: "Copy" }));
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await key.textContent());
  });
});

describe("the tooltips of charts and uptime strips", () => {
  it("are in tables as well, which open by keyboard", async () => {
    const { page } = await visit({ expected });
    const { signIn, press } = keyboardOf(page);
    await signIn(local, "/app/charts");
    const table = (name: string | RegExp) => page.getByRole("table", { name });
    expect(await table("Deployments per day").count()).toBe(0);
    for (const name of ["Deployments per day", "Duration"]) {
      const heading = page.getByRole("heading", { name, exact: true });
      await press(heading.locator("+ figure").getByText("Show as table"));
      await table(name).getByRole("row").nth(1).waitFor();
    }
    const pointed = await page.locator("svg.chart title").allTextContents();
    const shown = await page.getByRole("table").getByRole("row").allTextContents();
    expect(pointed.length).toBeGreaterThan(30);
    expect(shown.length).toBeGreaterThanOrEqual(pointed.length);

    await press(page.getByRole("link", { name: "Servers" }));
    await press(page.getByText(/% uptime (since|in)/).first());
    await table(/^Uptime of/)
      .getByRole("row")
      .nth(1)
      .waitFor();
  });
});
