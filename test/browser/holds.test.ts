import { expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const allWeek = { type: "weekly", days, from: "00:00", to: "00:00", timezone: "UTC" };

it("a freeze is created with its time zone, shown while it holds, and deleted", async () => {
  const { page } = await visit({ expected: /status of 422/ });
  await openSignedIn(page, local, "/app/freezes");
  await page.getByText("No freezes").waitFor();
  await page.getByRole("button", { name: "Create a freeze" }).click();
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: "Create freeze" });
  await create.click();
  await expect.poll(() => dialog.locator(".error").count()).toBe(3);
  await dialog.getByLabel("Name").fill("Release week");
  await dialog.getByLabel("When").selectOption("Every week");
  for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Saturday", "Sunday"])
    await dialog.getByLabel(day).check();
  await dialog.getByLabel("From").fill("00:00");
  await dialog.getByLabel("Until").fill("00:00");
  await dialog.getByLabel("Time zone").fill("Mars/Base");
  await create.click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await create.click();
  const row = page.getByRole("listitem").filter({ hasText: "Release week" });
  await row.getByText("Holds now").waitFor();
  await row.getByText(/^Every day 00:00 to 00:00 of the next day, Europe\/Berlin. Created by \S/).waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: "Edit Release week" }).click();
  await dialog.getByLabel("Name").fill("Release days");
  await dialog.getByLabel("Sunday").uncheck();
  await dialog.getByLabel("Until").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => dialog.locator(".error").count()).toBe(1);
  await dialog.getByLabel("Until").fill("22:30");
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  const edited = page.getByRole("listitem").filter({ hasText: "Release days" });
  await edited.getByText(/00:00 to 22:30, Europe\/Berlin/).waitFor();

  await page.getByRole("button", { name: "Delete Release days" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No freezes").waitFor();
});

it("deployments say what holds them, and run when somebody has approved them and the freeze is deleted", async () => {
  const { page } = await visit();
  await openSignedIn(page, local, `/app/projects/${local.project_id}/settings/releases`);
  await page.getByLabel("Approval").selectOption("Deployments wait until somebody approves them");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await api.call("POST", "/v1/freezes", { name: "Launch", times: allWeek });
  const { id } = await api.start(local.project_id);
  await page.goto(`${local.url}/app/deployments/${id}`);
  await page.getByText("This deployment waits for an approval.").waitFor();
  expect(await violations(page)).toEqual([]);

  // The same session has started it.
  await api.call("PATCH", `/v1/projects/${local.project_id}`, { approval: "by_another" });
  // Ends the requests of this page: a body that the browser drops never finishes.
  await page.goto("about:blank");
  // What the badge counts.
  const unfinished = page.waitForResponse(/\/v1\/deployments\?.*status=building/);
  await page.goto(`${local.url}/app/deployments/${id}`);
  await (await unfinished).finished();
  await page.getByText("another person must approve it.").waitFor();
  expect(await page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
  expect(await page.getByRole("img", { name: /approval$/ }).count()).toBe(0);
  await api.call("PATCH", `/v1/projects/${local.project_id}`, { approval: "required" });

  const behind = await api.start(local.project_id);
  await page.goto(`${local.url}/app/deployments/${behind.id}`);
  await page.getByText("This deployment needs an approval.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: /^Approve [0-9a-f]{7}$/ }).click();
  await page.getByText(/approved by /).waitFor();
  await page.getByText("This deployment needs an approval.").waitFor({ state: "detached" });

  const { commit, version } = await api.getDeployment(id);
  await page.goto(`${local.url}/app/projects/${local.project_id}`);
  await page.getByRole("img", { name: "1 deployment needs approval" }).waitFor();
  const row = page.locator(".deployment", { hasText: "Needs approval" });
  await row.getByRole("button", { name: `Approve ${commit}, v${version}` }).click();
  await page.locator(".deployment .status", { hasText: "Held" }).waitFor();
  await page.getByRole("img", { name: /approval$/ }).waitFor({ state: "detached" });
  await page.goto(`${local.url}/app/deployments/${id}`);
  await page.getByText("A freeze holds this deployment.").waitFor();
  await page.getByText(/approved by /).waitFor();
  expect(await violations(page, "dark")).toEqual([]);

  await page.goto(`${local.url}/app/projects/${local.project_id}`);
  await page.getByRole("button", { name: "Deploy", exact: true }).first().click();
  const deploying = page.getByRole("dialog");
  await deploying.getByText(/^It will wait for an approval and the end of the freeze Launch, /).waitFor();
  await deploying.getByLabel("Emergency").fill("Checkout is down");
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await deploying.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText("Checkout is down. It passes freezes and approvals.").waitFor();
  await page.locator("h1 .status.live").waitFor();
  await page.goto(`${local.url}/app/projects/${local.project_id}`);
  await page.locator(".deployment").filter({ hasText: "emergency" }).waitFor();
  await page.goto(`${local.url}/app/deployments/${id}`);

  await page.getByRole("main").getByRole("link", { name: "Freezes" }).click();
  await page.getByRole("button", { name: "Delete Launch" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No freezes").waitFor();
  await page.goto(`${local.url}/app/deployments/${behind.id}`);
  await page.locator("h1 .status.live").waitFor();
});
