import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** Double-clicks the place of an element. `between` runs after the first click, so the second may hit another element. */
async function clickTwice(page: Page, target: Locator, between = () => Promise.resolve()): Promise<void> {
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${String(target)} is not visible`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    if (clickCount === 1) await between();
  }
}

async function project(name: string, settings: Record<string, unknown> = {}): Promise<string> {
  const { path, commit } = await repository(name);
  await commit({ "index.html": name });
  const made = { name, server_id: local.server_id, repository: path, ...settings };
  return (await api.createProject(made)).id;
}

describe("a double click", () => {
  it("opens one dialog, which stays open, and starts one deployment", async () => {
    const id = await project("twice", { build_command: "false" });
    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${id}`);
    const dialog = page.getByRole("dialog");
    await clickTwice(page, page.getByRole("button", { name: "Deploy", exact: true }), () => dialog.waitFor());
    expect(await dialog.count()).toBe(1);

    // Selecting text with the mouse may end outside the dialog.
    await dialog.getByLabel("Commit").hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
    // Holding Enter opens the dialog and does not submit it.
    await page.getByRole("button", { name: "Deploy", exact: true }).focus();
    await page.keyboard.down("Enter");
    await dialog.waitFor();
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await api.listDeployments(id)).toEqual([]);

    const first = await api.start(id);
    await api.ended(first.id);
    await page.goto(`${local.url}/app/deployments/${first.id}`);
    const again = page.getByRole("button", { name: "Deploy main again" });
    await again.waitFor();
    // At the second click, the new deployment's page has the same button in the same place.
    await clickTwice(page, again, async () => {
      await page.waitForURL((url) => !url.pathname.endsWith(first.id));
      await again.waitFor();
    });
    await again.waitFor();
    expect(await api.listDeployments(id)).toHaveLength(2);
  });
});

describe("a second click after a lost response", () => {
  it("starts no second deployment", async () => {
    const id = await project("unheard");
    const { page } = await visit({ expected: /ERR_FAILED/ });
    await openSignedIn(page, local, `/app/projects/${id}`);
    await page.route(
      `**/v1/projects/${id}/deployments`,
      async (route) => {
        await route.fetch();
        // Both buttons wait, and only the clicked button shows it.
        await expect.poll(() => page.locator("dialog [aria-busy=true]").count()).toBe(2);
        expect(await page.locator("dialog .spinner").count()).toBe(1);
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true });
    await deploy.click();
    await page.getByText("Deploying failed.").waitFor();
    await deploy.click();
    await page.waitForURL("**/app/deployments/*");
    expect(await api.listDeployments(id)).toHaveLength(1);
  });
});
