import { describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, named, api, printedLink, repository, visit } = await useDashboard({ account: "installed" });

describe("the link that npm start prints", () => {
  it("signs in once, to see the live site, deploy, follow the log, roll back and sign out", async () => {
    const { path, commit } = await repository("news");
    await commit({ "index.html": "one" });
    const project = await api.createProject({
      name: "news",
      server_id: local.server_id,
      repository: path,
      build_command: "printf '\\033[31mred\\033[0m\\n'",
    });
    await api.ended((await api.start(project.id)).id);
    await commit({ "index.html": "two" });

    // The console logs the 401 response to the second use of the link.
    const { page } = await visit({ expected: /401/ });
    await page.goto(printedLink);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    expect(page.url()).toBe(`${named}/app/`);
    await page.getByRole("link", { name: "hello-site" }).waitFor();
    await page.getByRole("link", { name: "news", exact: true }).click();
    await page.getByRole("list", { name: "Deployments" }).getByText("v1").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Deploy", exact: true }).click();

    await page.getByRole("heading", { name: "v2" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    await page.locator(".fg-red", { hasText: "red" }).first().waitFor();
    expect(await page.title()).toBe("v2 live · Gantry");
    expect(await siteOf(project.id)).toBe("two");

    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").last().click();
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByText("Instant").waitFor();
    await dialog.getByRole("definition").filter({ hasText: "v2" }).waitFor();
    await dialog.getByRole("definition").filter({ hasText: "v1" }).waitFor();
    await dialog.getByRole("button", { name: "Roll back to v1" }).click();
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    expect(await siteOf(project.id)).toBe("one");

    const token = await page.evaluate<string>("JSON.parse(localStorage['gantry.session']).token");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const after = await fetch(`${local.url}/v1/account`, { headers: { authorization: `Bearer ${token}` } });
    expect(after.status).toBe(401);
    await page.goBack();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(await page.getByText("news").count()).toBe(0);

    await page.goto(printedLink);
    await page.getByText("This link was used or has expired.").waitFor();
    const command = `npm run sign-in -- --port ${new URL(local.url).port}`;
    await page.getByText(command, { exact: true }).waitFor();
    expect(page.url()).toBe(`${named}/app/sign-in`);
  });
});

async function siteOf(projectId: string): Promise<string> {
  const { url } = await api.getProject(projectId);
  return (await fetch(url ?? "")).text();
}
