import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { type Agent, joinServer } from "./support/operator.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, home, secondLink, repository, visit } = await useDashboard({ account: "empty" });

let agent: Agent | null = null;
afterAll(() => agent?.kill());

describe("an empty account", () => {
  it("shows the steps to a live deployment, and no data of another account", async () => {
    const { path, commit } = await repository("first");
    await commit({ "index.html": "first" });

    // The console logs the 404 responses for objects of the other account.
    const { page } = await visit({ expected: /404/ });
    await page.goto(secondLink);
    await page.getByRole("heading", { name: "Add a server" }).waitFor();
    expect(await page.getByText("hello-site").count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    await page.getByRole("button", { name: "Add server" }).click();
    await page.locator(".error").first().waitFor();
    await page.getByLabel("Name").fill("web-1");
    await page.getByLabel("IPv4 address").fill("192.0.2.1");
    await page.getByRole("button", { name: "Add server" }).click();
    const line = page.getByLabel("Install command");
    await page.getByLabel("Also serve the projects at their domains").check();
    expect(await line.textContent()).toMatch(/ sh -s -- --ingress$/);
    await page.getByLabel("Also serve the projects at their domains").uncheck();
    await line.waitFor();
    await page.getByText("Waiting for the agent…").waitFor();
    expect(await violations(page)).toEqual([]);
    agent = await joinServer((await line.textContent()) ?? "", join(home, "second-agent"));
    agent.start();

    await page.getByText("web-1 is connected.").waitFor();
    await page.getByLabel("Name").fill("first");
    await page.getByLabel("Repository").fill(path);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add project" }).click();
    await page.getByRole("button", { name: "Deploy first" }).click();
    await page.locator("h1 .status.live").waitFor();

    for (const [address, thing] of [
      [`deployments/${local.deployment_id}`, "deployment"],
      [`projects/${local.project_id}`, "project"],
      [`projects/${local.project_id}/settings`, "project"],
    ] as const) {
      await page.goto(`${local.url}/app/${address}`);
      await page.getByText(`Could not find the ${thing}`).waitFor();
      expect(await page.getByText("hello-site").count()).toBe(0);
    }
    await page.goto(`${local.url}/app/servers`);
    await page.getByRole("rowheader", { name: "web-1" }).waitFor();
    expect(await page.getByRole("rowheader").count()).toBe(1);
    await page.goto(`${local.url}/app/`);
    await page.getByRole("link", { name: "first" }).first().waitFor();
    expect(await page.getByText("hello-site").count()).toBe(0);
  });
});
