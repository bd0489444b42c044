import { describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("a failed deployment", () => {
  it("shows its cause, and can be deleted after the settings are fixed and another deployment is live", async () => {
    const { path, commit } = await repository("shop");
    await commit({ "index.html": "open", "package.json": '{"dependencies":{"prisma":"1"}}' });
    const project = await api.createProject({
      name: "shop",
      server_id: local.server_id,
      repository: path,
      build_command:
        "seq 200; echo warning: old >&2; echo warning: older >&2; echo 'Error: no such recipe' >&2; no-such-tool; seq 200; exit 3",
    });
    const failed = await api.start(project.id);
    await api.ended(failed.id);

    const { page } = await visit();
    await openSignedIn(page, local, `/app/deployments/${failed.id}`);
    const failure = page.getByRole("region", { name: "Failure" });
    await failure
      .getByRole("heading", { name: "Build failed: the build command ended with exit code 3" })
      .waitFor();
    await failure.getByText("build_failed", { exact: true }).waitFor();
    await failure.getByText("The server has no program `no-such-tool`").waitFor();
    const error = failure.getByLabel("First error");
    await error.getByText("Error: no such recipe").waitFor();
    // With its number in the log, and with the lines around it.
    await error
      .getByRole("link", { name: /^Line \d+$/ })
      .first()
      .waitFor();
    await error.getByText("warning: older").waitFor();
    expect(await error.getByText("100", { exact: true }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    // Of the groups of the log, only the failed stage's group is open.
    const group = (name: string) =>
      page.getByRole("button", { name: new RegExp(`^${name}`), expanded: true });
    await group("Build").waitFor();
    expect(await group("Fetch").count()).toBe(0);
    await failure.getByRole("button", { name: "Show all" }).click();
    await page.locator(".linked", { hasText: "Error: no such recipe" }).waitFor();
    await page.goto(`${local.url}/app/deployments/${failed.id}`);

    // Warnings of the stage that failed may be why, so they are not folded.
    const folded = (count: number) => page.getByRole("button", { name: `${count} warnings`, exact: true });
    await page.getByRole("button", { name: "First error" }).click();
    await page.locator(".linked", { hasText: "Error: no such recipe" }).waitFor();
    await page.locator(".row.stderr", { hasText: "warning: older" }).waitFor();
    expect(await folded(2).count()).toBe(0);
    const address = page.url();
    expect(address).toMatch(/#L\d+$/);
    await page.reload();
    await page.locator(".linked", { hasText: "Error: no such recipe" }).waitFor();
    await page.getByLabel("Search the log").fill("no such recipe");
    await page.locator("mark", { hasText: "no such recipe" }).first().waitFor();

    const settings = `${local.url}/app/projects/${project.id}/settings`;
    const save = async () => {
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
    };
    await page.goto(`${settings}/releases`);
    await page.getByLabel("Releases to keep").fill("many");
    await page.keyboard.press("Tab");
    await page.locator(".error").first().waitFor();
    await page.getByLabel("Releases to keep").fill("6");
    await page.getByRole("button", { name: "Use npx prisma migrate deploy" }).click();
    const release = page.getByLabel("Release command");
    await expect.poll(() => release.inputValue()).toBe("npx prisma migrate deploy");
    await release.fill("echo migrated");
    await save();
    await page.goto(`${settings}/build`);
    await page
      .getByLabel("Install command")
      .fill("for i in 1 2 3; do echo npm warn deprecated old@$i >&2; done; echo prepared");
    await page.getByLabel("Build command").fill("echo made");
    await save();

    await page.goto(`${local.url}/app/deployments/${failed.id}`);
    await page.getByRole("button", { name: "Clear cache and deploy" }).click();
    await page.getByRole("heading", { name: "v2" }).waitFor();
    await page.getByText("with a cleared cache").waitFor();
    await page.locator("h1 .status.live").waitFor();
    for (const stage of ["Install", "Release"])
      await page.getByRole("list", { name: "Stages" }).getByText(stage).waitFor();
    const warning = page.locator(".row.stderr", { hasText: "npm warn deprecated old@2" });
    await folded(3).waitFor();
    expect(await warning.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await folded(3).focus();
    await page.keyboard.press("Enter");
    await warning.waitFor();
    await page.keyboard.press("Enter");
    await warning.waitFor({ state: "detached" });
    await page.getByLabel("Search the log").fill("old@2");
    await page.keyboard.press("Enter");
    await page.locator(".linked", { hasText: "old@2" }).waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("The live deployment cannot be deleted.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.goto(`${local.url}/app/deployments/${failed.id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
    await page.getByRole("definition").getByText("static because no file names a framework").waitFor();
    expect((await api.listDeployments(project.id)).map(({ version }) => version)).toEqual([2]);

    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear cache and deploy" }).click();
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.getByText("with a cleared cache").waitFor();
    await page.locator("h1 .status.live").waitFor();
  });
});
