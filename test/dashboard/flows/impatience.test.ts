import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** Two clicks where something is, as a double click makes them: what stands there by the second one gets that. */
async function clickTwice(page: Page, target: Locator, between = () => Promise.resolve()): Promise<void> {
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${String(target)} cannot be seen`);
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

describe("somebody who presses twice", () => {
  it("has one dialog, which stays, and one deployment of each wish", async () => {
    const id = await project("twice", { build_command: "false" });
    const { page } = await visit();
    await signInWithToken(page, local, `/app/projects/${id}`);
    const dialog = page.getByRole("dialog");
    await clickTwice(page, page.getByRole("button", { name: "Deploy" }), () => dialog.waitFor());
    expect(await dialog.count()).toBe(1);

    // A text that is marked with the mouse may end beside the dialog.
    await dialog.getByLabel("Commit").hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
    // Enter that is held opens the dialog, and does not send it.
    await page.getByRole("button", { name: "Deploy" }).focus();
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
    // By the second click the page of the new deployment has the same button there.
    await clickTwice(page, again, async () => {
      await page.waitForURL((url) => !url.pathname.endsWith(first.id));
      await again.waitFor();
    });
    await again.waitFor();
    expect(await api.listDeployments(id)).toHaveLength(2);
  });

  it("because no answer came has one deployment", async () => {
    const id = await project("unheard");
    const { page } = await visit({ expected: /ERR_FAILED/ });
    await signInWithToken(page, local, `/app/projects/${id}`);
    await page.route(
      `**/v1/projects/${id}/deployments`,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Deploy" }).click();
    const deploy = page.getByRole("dialog").getByRole("button", { name: "Deploy" });
    await deploy.click();
    await page.getByText("Deploying failed.").waitFor();
    await deploy.click();
    await page.waitForURL("**/app/deployments/*");
    expect(await api.listDeployments(id)).toHaveLength(1);
  });
});
