import { describe, expect, it } from "vitest";

import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("a wrong clock of the browser's machine", () => {
  it("does not change the relative times on the page", async () => {
    const { page, context } = await visit();
    // Cloudflare's edge sets the Date header; workerd alone does not.
    await page.route("**/v1/**", async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        headers: { ...response.headers(), date: new Date().toUTCString() },
      });
    });
    await context.addInitScript("const real = Date.now; Date.now = () => real() - 5 * 3_600_000");
    const { path, commit } = await repository("clock");
    await commit({ "index.html": "clock" });
    const project = await api.createProject({
      ...{ name: "clock", server_id: local.server_id, repository: path },
    });
    const { id } = await api.start(project.id);
    await api.ended(id);
    await signInWithToken(page, local, `/app/projects/${project.id}`);
    const row = page.getByRole("list", { name: "Deployments" }).getByRole("listitem");
    await expect
      .poll(() => row.locator("time").first().textContent())
      .toMatch(/^(just now|\d+ (s|min) ago)$/);
  });
});
