import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";

import { hasFocus, violations } from "./support/browser.ts";
import { openSignedIn, signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

/** The color of an element's border, and the style of its focus ring. */
const looksOf = (locator: Locator) =>
  locator.evaluate((element) => {
    const { borderTopColor, outlineStyle } = element.ownerDocument.defaultView.getComputedStyle(element);
    return { border: borderTopColor, ring: outlineStyle };
  });

describe("a form that is submitted with errors", () => {
  it("names them in its own words, marks the fields, and moves the focus to the first", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/projects/new");
    const name = page.getByLabel("Name", { exact: true });
    const repository = page.getByLabel("Repository", { exact: true });
    await name.waitFor();
    const before = await looksOf(repository);
    // A value that is being typed is not wrong yet.
    await repository.fill("not-a-repository");
    expect(await page.locator("form .error").count()).toBe(0);
    await name.focus();
    await page.getByText(/^Must be an https or ssh URL/).waitFor();
    await repository.fill("");
    await page.getByRole("button", { name: "Add project" }).click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByText("Enter the address of a repository.").waitFor();
    await expect.poll(() => hasFocus(name)).toBe(true);
    expect((await looksOf(repository)).border).not.toBe(before.border);
    expect(await violations(page)).toEqual([]);
    await name.fill("shop");
    await repository.fill("not-a-repository");
    await page.keyboard.press("Enter");
    await expect.poll(() => hasFocus(repository)).toBe(true);
    await page.getByText(/^Must be an https or ssh URL/).waitFor();
  });

  it("opens the folded part of the settings that has the first one", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${local.project_id}/settings/releases`);
    const limit = page.getByLabel("Build", { exact: true });
    await page.getByText("Advanced").click();
    await limit.fill("0");
    await page.getByText("Advanced").click();
    await limit.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be 1 or more.").waitFor();
    await expect.poll(() => hasFocus(limit)).toBe(true);
    expect((await api.getProject(local.project_id)).timeouts.build_seconds).toBe(600);
  });
});

describe("the focus ring of a heading", () => {
  it("is shown to people who use the keyboard, not to people who click", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/");
    const heading = page.getByRole("heading", { level: 1, name: "Tokens" });
    const links = page.getByRole("navigation", { name: "Main" });
    await links.getByRole("link", { name: "Tokens" }).click();
    await expect.poll(() => hasFocus(heading)).toBe(true);
    expect((await looksOf(heading)).ring).toBe("none");
    await links.getByRole("link", { name: "Servers" }).focus();
    await page.keyboard.press("Enter");
    const next = page.getByRole("heading", { level: 1, name: "Servers" });
    await expect.poll(() => hasFocus(next)).toBe(true);
    expect((await looksOf(next)).ring).not.toBe("none");
  });
});

describe("the settings", () => {
  it("are pages of their own, and say when and where a project moves", async () => {
    const { page } = await visit();
    await api.call("POST", "/v1/servers", { name: "web-2", ip: "192.0.2.80" });
    await openSignedIn(page, local, `/app/projects/${local.project_id}/settings`);
    await page.getByLabel("Server", { exact: true }).selectOption("web-2");
    await page
      .getByText(/moves from .+ to web-2 with its next deployment\. Until then .+ serves it\./)
      .waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. The project moves with its next deployment.").waitFor();
    const sections = page.getByRole("navigation", { name: "Settings" });
    await sections.getByRole("link", { name: "Domains" }).click();
    await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
    await page.getByLabel("Domain", { exact: true }).waitFor();
    await sections.getByRole("link", { name: "Variables" }).click();
    await page.getByRole("heading", { level: 1, name: "Variables" }).waitFor();
  });
});

describe("an address without a page", () => {
  it("says what was asked for, and leads to the projects", async () => {
    const { page } = await visit({ expected: /status of 404 .*\/app\/nothing/ });
    await signInWithToken(page, local, "/app/nothing/here");
    await page.getByText("/app/nothing/here").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "hello-site" }).click();
    await page.getByRole("heading", { level: 1, name: "hello-site" }).waitFor();
  });
});
