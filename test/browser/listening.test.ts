import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

/** The paths of the API that the page requests from now on. */
function watchRequests(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) paths.push(pathname);
  });
  return paths;
}

const listens = (page: Page) =>
  page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/events");

it("shows a deployment that was started elsewhere without polling for it", async () => {
  const { page } = await visit();
  await page.clock.install();
  const stream = listens(page);
  await openSignedIn(page, local, `/app/projects/${local.project_id}`);
  await page.getByRole("list", { name: "Deployments" }).getByText("v1", { exact: true }).waitFor();
  await stream;
  const requested = watchRequests(page);
  // The polls that may have been planned before the stream began.
  await page.clock.runFor(10_000);
  await page.waitForTimeout(500);
  requested.length = 0;
  // Without events, everything would be polled within this time.
  await page.clock.runFor(15_000);
  // What no event tells: the state of servers, and what a project's server answers itself.
  expect(requested.filter((path) => !/servers|processes|commands|cron/.test(path))).toEqual([]);

  const { version } = await api.start(local.project_id);
  await page.getByRole("list", { name: "Deployments" }).getByText(`v${version}`, { exact: true }).waitFor();
  expect(requested).toContain("/v1/deployments");
});

it("polls if the events cannot be read", async () => {
  const { page } = await visit({ expected: /ERR_FAILED/ });
  await page.route("**/v1/events", (route) => route.abort());
  await page.clock.install();
  await openSignedIn(page, local, "/app");
  await page.getByRole("article").first().waitFor();
  const requested = watchRequests(page);
  for (let second = 0; second < 15; second += 1) await page.clock.runFor(1_000);
  expect(requested).toEqual(expect.arrayContaining(["/v1/projects", "/v1/servers", "/v1/deployments"]));
});

it("does not read a deployment that it is deleting", async () => {
  const [older] = await api.listDeployments(local.project_id);
  await api.ended((await api.start(local.project_id)).id);
  const { page } = await visit();
  const stream = listens(page);
  await openSignedIn(page, local, `/app/deployments/${older?.id}`);
  await stream;
  await page.route(`**/v1/deployments/${older?.id}`, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    const response = await route.fetch();
    // The event of the deletion arrives before the page knows the response.
    await page.waitForTimeout(3_000);
    return route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  // After the test, the tab must not have had a response with status 404.
  await page.getByRole("heading", { name: "hello-site", exact: true }).waitFor();
});
