import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";

import { dashboardPages } from "#contract/dashboard-pages.ts";

import { hasFocus, loadWithAxe, narrowest, violations, wideScreen } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

let failedId = "";
let faultyId = "";
beforeAll(async () => {
  const { path, commit } = await repository("faulty");
  await commit({ "index.html": "faulty" });
  const project = await api.createProject({
    // The longest name possible, without a place to break it.
    name: `faulty${"!".repeat(94)}`,
    server_id: local.server_id,
    repository: path,
    build_command: String.raw`printf '\033[1;32mgood\033[0m \033[43mmarked\033[0m\n'; echo 'Error: none' >&2; exit 1`,
  });
  faultyId = project.id;
  const long = { name: "N".repeat(128), value: "v".repeat(400) };
  await api.call("PATCH", `/v1/projects/${project.id}/variables`, {
    set: [long, { name: `S${long.name.slice(1)}`, value: "x", secret: true, build: true }],
  });
  const failed = await api.start(project.id);
  await api.ended(failed.id);
  failedId = failed.id;
});

/** The pages of failures and long names, and a page that does not exist. */
const unusual = () => [
  `/app/deployments/${failedId}`,
  `/app/projects/${faultyId}/settings`,
  `/app/projects/${faultyId}/variables`,
  "/app/nothing",
];

async function open(page: Page, path: string): Promise<void> {
  await page.goto(local.url + path);
  await page.locator("main h1").waitFor();
  await expect.poll(() => page.locator("main .waiting").count()).toBe(0);
}

describe("every page", () => {
  it("fits the narrowest window", async () => {
    // The token has no scopes for members and their sign-in.
    const { page } = await visit({
      expected: /status of 404 .*\/app\/nothing|status of 403 .*\/v1\/(?:members|connections)/,
    });
    await openSignedIn(page, local, "/app/");
    await page.setViewportSize(narrowest);
    const paths = Object.values(dashboardPages).map(
      (path) =>
        `/app/${path.replace(":id", path.startsWith("deployments/") ? local.deployment_id : local.project_id)}`,
    );
    const wide: string[] = [];
    for (const path of [...paths, ...unusual()]) {
      await open(page, path);
      if ((await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true)
        wide.push(path);
    }
    expect(wide).toEqual([]);
  });

  // layout.test.ts looks at the other pages.
  it("of a failure, of long names and of nothing passes axe in light and dark", async () => {
    const { page } = await visit({ expected: /status of 404 .*\/app\/nothing/ });
    await loadWithAxe(page);
    await page.goto(`${local.url}/app/sign-in`);
    await page.getByLabel("API token").waitFor();
    const found = [...(await violations(page, "light")), ...(await violations(page, "dark"))];
    await openSignedIn(page, local, "/app/");
    for (const path of unusual()) {
      await page.setViewportSize(wideScreen);
      await open(page, path);
      found.push(...(await violations(page, "light")));
      await page.setViewportSize(narrowest);
      found.push(...(await violations(page, "dark")));
    }
    expect(found).toEqual([]);
  });
});

describe("forced colors", () => {
  it("keep the current section and the parts of a bar distinguishable", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/charts");
    await page.locator(".key").first().waitFor();
    await page.emulateMedia({ forcedColors: "active" });
    const colorsOf = (selector: string, style: string, part = "") =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("${selector}")].map((shown) => getComputedStyle(shown, "${part}").${style})`,
      );
    const links = await colorsOf("nav a", "borderBottomColor");
    expect(new Set(links).size).toBe(2);
    const keys = await colorsOf(".key", "color", "::before");
    expect(new Set(keys).size).toBe(3);
    expect(await colorsOf("rect.succeeded", "fill")).toContain(keys[0]);
  });
});

describe("every dialog", () => {
  const dialogs = [
    [`/app/projects/${local.project_id}`, "Deploy"],
    [`/app/projects/${local.project_id}`, "Roll back"],
    [`/app/projects/${local.project_id}/settings`, "Delete hello-site"],
    [`/app/projects/${local.project_id}/variables`, "Import .env"],
    [`/app/deployments/${local.deployment_id}`, "Delete"],
    ["/app/servers", "Add a server"],
    ["/app/servers", "Remove", "in a menu"],
    ["/app/webhooks", "Create a webhook"],
    ["/app/freezes", "Create a freeze"],
    ["/app/tokens", "Create a token"],
  ] as const;

  // layout.test.ts checks them with axe.
  it("returns the focus to its button", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/");
    const found: string[] = [];
    for (const [path, name, place] of dialogs) {
      if (page.url() !== local.url + path) await page.goto(local.url + path);
      const button = page
        .getByRole("button", place === undefined ? { name, exact: true } : { name: /^Actions for / })
        .first();
      await button.click();
      if (place !== undefined) await page.getByRole("menuitem", { name, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await expect.poll(() => page.locator("dialog .waiting").count()).toBe(0);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      if (!(await hasFocus(button)))
        found.push(
          `${name} does not have the focus again, but ${String(await page.evaluate("document.activeElement.outerHTML"))}`,
        );
    }
    expect(found).toEqual([]);
  });
});

describe("a dialog", () => {
  it("can be opened again after the browser closed it without a cancel event", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/tokens");
    for (const _ of [1, 2]) {
      await page.getByRole("button", { name: "Create a token" }).click();
      await page.getByRole("dialog").waitFor();
      await page.evaluate("document.querySelector('dialog').close()");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
  });
});

describe("the page that the Worker serves", () => {
  it("allows only its own scripts, styles and requests, and has none inline", async () => {
    const answer = await fetch(`${local.url}/app/`);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe-|https?:|data:|\*/);
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  });
});
