import { describe, expect, it } from "vitest";

import { hasFocus, violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("the menu of a deployment's row", () => {
  it("is used by keyboard, and returns the focus to its button", async () => {
    const { page } = await visit();
    const { signIn, goTo, receivesFocus } = keyboardOf(page);
    await signIn(local, `/app/projects/${local.project_id}`);
    const button = page.getByRole("button", { name: "Actions for v1" });
    const menu = page.getByRole("menu", { name: "Actions for v1" });
    const item = (name: string) => menu.getByRole("menuitem", { name, exact: true });
    await goTo(button);
    await page.keyboard.press("ArrowUp");
    await receivesFocus(item("Delete"));
    await page.keyboard.press("ArrowDown");
    await receivesFocus(item("View"));
    await page.keyboard.press("End");
    await receivesFocus(item("Delete"));
    await page.keyboard.press("Home");
    await receivesFocus(item("View"));
    await page.keyboard.press("r");
    await receivesFocus(item("Redeploy"));
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    expect([...(await violations(page, "light")), ...(await violations(page, "dark"))]).toEqual([]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await receivesFocus(button);

    await page.keyboard.press("ArrowDown");
    await receivesFocus(item("View"));
    await page.keyboard.press("Tab");
    await menu.waitFor({ state: "detached" });
    expect(await hasFocus(button)).toBe(false);
  });

  it("opens with a click, stays within the window, and closes with a click elsewhere", async () => {
    const { page } = await visit({ screen: { width: 390, height: 320 } });
    await openSignedIn(page, local, `/app/projects/${local.project_id}`);
    const button = page.getByRole("button", { name: "Actions for v1" });
    const menu = page.getByRole("menu");
    await button.click();
    await menu.waitFor();
    const isInside = await menu.evaluate((shown) => {
      const { top, left, right, bottom } = shown.getBoundingClientRect();
      return top >= 0 && left >= 0 && right <= 390 && bottom <= 320;
    });
    expect(isInside).toBe(true);
    await page.locator("#content").click({ position: { x: 5, y: 5 }, force: true });
    await menu.waitFor({ state: "detached" });
    await button.click();
    await menu.waitFor();
    await button.click();
    await menu.waitFor({ state: "detached" });
  });
});

describe("a live deployment", () => {
  it("is deployed again with its commit, although its branch has a later one", async () => {
    const { path, commit } = await repository("again");
    await commit({ "index.html": "one" });
    const project = await api.createProject({ name: "again", server_id: local.server_id, repository: path });
    const first = await api.start(project.id);
    await api.ended(first.id);
    await commit({ "index.html": "two" });

    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${project.id}`);
    const production = page.getByRole("region", { name: "Production" });
    await production.getByRole("button", { name: "Redeploy" }).click();
    await page.getByRole("heading", { name: "v2" }).waitFor();
    const [second] = await api.listDeployments(project.id);
    await api.ended(second?.id ?? "");
    expect((await api.getDeployment(second?.id ?? "")).commit_sha).toBe(
      (await api.getDeployment(first.id)).commit_sha,
    );

    await page.goto(`${local.url}/app/projects/${project.id}`);
    await production.getByRole("link", { name: "v2" }).waitFor();
    await page.getByRole("button", { name: "Actions for v1" }).click();
    await page.getByRole("menuitem", { name: "Roll back to v1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back to v1" }).waitFor();
  });
});
