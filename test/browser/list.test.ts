import { join } from "node:path";

import { expect, it } from "vitest";

import { seedDeployments } from "../support/seed-deployments.ts";
import { violations } from "./support/browser.ts";
import { openSignedIn, signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, account, visit } = await useDashboard({ installation: "own" });

it("long lists of servers and tokens can be searched by name", async () => {
  const { api: other, token } = account("many");
  const numbers = Array.from({ length: 10 }, (_, at) => at + 1);
  for (const at of numbers) {
    await other.call("POST", "/v1/servers", { name: `host-${at}`, ip: `192.0.2.${at}` });
    await other.call("POST", "/v1/tokens", { name: `CI ${at}`, scopes: ["projects:read"] });
  }
  const { page } = await visit();
  await signInWithToken(page, { url: local.url, token }, "/app/servers");
  const names = page.getByRole("rowheader");
  await page.getByLabel("Find a server").fill("HOST-7");
  await expect.poll(() => names.allTextContents()).toEqual(["host-7"]);
  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByLabel("Find a token").fill("ci 10");
  await expect.poll(() => names.allTextContents()).toEqual([expect.stringContaining("CI 10")]);
});

it("a list of deployments keeps its filters, rows and scroll position when the user comes back", async () => {
  const settings = { name: "archive", server_id: local.server_id, repository: "/nowhere" };
  const project = await api.createProject(settings);
  seedDeployments(join(home, "installation"), local, project, { count: 400, days: 90 });

  // Rows that are inserted into the database have no logs.
  const { page } = await visit({ expected: /status of 410/ });
  await openSignedIn(page, local, `/app/projects/${project.id}`);
  const list = page.getByRole("list", { name: "Deployments" });
  await list.getByText("v400").waitFor();
  await page.getByLabel("Status").selectOption("Superseded");
  await expect.poll(() => new URL(page.url()).search).toBe("?status=superseded");
  // Older than the first page of rows.
  const chosen = list.getByRole("link", { name: "v200", exact: true });
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 600);
      return await chosen.count();
    })
    .toBe(1);
  await chosen.click();
  await page.getByRole("heading", { name: "v200" }).waitFor();
  expect(await page.evaluate("scrollY")).toBe(0);

  await page.goBack();
  await chosen.waitFor();
  await expect.poll(() => chosen.isVisible()).toBe(true);
  expect(await page.getByLabel("Status").inputValue()).toBe("superseded");
  await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(2_000);

  await page.reload();
  await list.getByText("Superseded").first().waitFor();
  expect(await page.getByLabel("Status").inputValue()).toBe("superseded");
});

it("the rows of a public repository link its branches and commits, and lead to the deployment elsewhere", async () => {
  const repository = "https://github.com/acme/shop";
  const project = await api.createProject({ name: "linked", server_id: local.server_id, repository });
  seedDeployments(join(home, "installation"), local, project, { count: 3, days: 9 });
  const [newest] = await api.listDeployments(project.id);
  const { page } = await visit({ expected: /status of 410/ });
  await openSignedIn(page, local, `/app/projects/${project.id}`);
  const row = page
    .getByRole("list", { name: "Deployments" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name: "v3", exact: true }) });
  const links = row.getByRole("link");
  // Once the project is loaded.
  await expect.poll(() => links.count()).toBe(3);
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
    `/app/deployments/${newest?.id}`,
    `${repository}/tree/${newest?.branch}`,
    `${repository}/commit/${newest?.commit}`,
  ]);
  for (const at of [1, 2]) {
    // Fails if the row's own link covers it.
    await links.nth(at).click({ trial: true });
  }
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([]);

  const title = row.getByText(newest?.commit_message ?? "", { exact: true });
  const place = await title.boundingBox();
  await page.mouse.click((place?.x ?? 0) + 5, (place?.y ?? 0) + 5);
  await page.getByRole("heading", { level: 1, name: "v3" }).waitFor();
});
