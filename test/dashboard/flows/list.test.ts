import { join } from "node:path";

import { expect, it } from "vitest";

import { seedDeployments } from "../../support/seed-deployments.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, visit } = await useDashboard();

it("a list of deployments is come back to as it was left: filtered, read and scrolled", async () => {
  const settings = { name: "archive", server_id: local.server_id, repository: "/nowhere" };
  const project = await api.createProject(settings);
  await seedDeployments(join(home, "installation"), local, project, { count: 400, days: 90 });

  // Rows that were put into the database have no logs.
  const { page } = await visit({ expected: /status of 410/ });
  await signInWithToken(page, local, `/app/projects/${project.id}`);
  const list = page.getByRole("list", { name: "Deployments" });
  await list.getByText("v400").waitFor();
  await page.getByLabel("Status").selectOption("Superseded");
  await expect.poll(() => new URL(page.url()).search).toBe("?status=superseded");
  // Beyond what is read at first.
  const chosen = list.getByRole("link", { name: "v200", exact: true });
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 600);
        return await chosen.count();
      },
      { timeout: 30_000 },
    )
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
