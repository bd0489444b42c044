import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** Makes a page reload its data immediately, as when the network is back. */
const wake = (page: Page) => page.evaluate("dispatchEvent(new Event('online'))");

// API requests stand for the other tab.
describe("a page whose data changes in another tab", () => {
  it("saves only the fields that were edited, and says if its object was deleted", async () => {
    const { path, commit } = await repository("shared");
    await commit({ "index.html": "shared" });
    const { id } = await api.createProject({ name: "shared", server_id: local.server_id, repository: path });
    const { id: deployment } = await api.start(id);
    await api.ended(deployment);
    const expected = /status of 404/;

    const { page } = await visit({ expected });
    await openSignedIn(page, local, `/app/projects/${id}/settings/releases`);
    await page.getByLabel("Releases to keep").fill("7");
    await api.call("PATCH", `/v1/projects/${id}`, { release_command: "make migrate" });
    await wake(page);
    await expect.poll(() => page.getByLabel("Release command").inputValue()).toBe("make migrate");
    expect(await page.getByLabel("Releases to keep").inputValue()).toBe("7");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await api.getProject(id)).toMatchObject({ release_command: "make migrate", keep_releases: 7 });

    const other = await visit({ expected });
    await openSignedIn(other.page, local, `/app/projects/${id}`);
    await other.page.getByText("v1").first().waitFor();
    const third = await visit({ expected });
    await openSignedIn(third.page, local, `/app/deployments/${deployment}`);
    await third.page.locator("h1 .status.live").waitFor();
    const sections = page.getByRole("navigation", { name: "Settings" });
    await sections.getByRole("link", { name: "General" }).click();
    await page.getByRole("button", { name: "Delete shared" }).click();
    await page.getByLabel("Type shared to confirm").fill("shared");
    // When the request arrives, the project is deleted already, so deleting it succeeds. Before the click, the page
    // would close the dialog as soon as it hears of the deletion.
    await page.route(`**/v1/projects/${id}*`, async (route) => {
      if (route.request().method() === "DELETE") await api.call("DELETE", `/v1/projects/${id}`);
      await route.fallback();
    });
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    for (const { page: shown } of [other, third]) {
      await wake(shown);
      await shown.getByText("It may have been deleted.").waitFor();
      expect(await shown.locator("main button").count()).toBe(0);
    }
    await other.page.getByRole("link", { name: "All projects" }).click();
    await other.page.getByRole("heading", { name: "Projects" }).waitFor();
  });
});
