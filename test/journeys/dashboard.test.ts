import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { violations } from "../browser/support/browser.ts";
import { serveSites } from "../browser/support/live-site.ts";
import { type Agent, joinServer } from "../browser/support/operator.ts";
import { useDashboard } from "../browser/support/use-dashboard.ts";

const { local, home, secondLink, account, repository, visit } = await useDashboard({ account: "empty" });

const agentHome = join(home, "second-agent");
const socket = join(home, "second-sites.sock");
let agent: Agent | null = null;
let endSites: () => Promise<void>;
beforeAll(async () => {
  await mkdir(agentHome);
  endSites = await serveSites(agentHome, socket);
});
afterAll(async () => {
  await agent?.kill();
  await endSites();
});

describe("an empty account", () => {
  it("goes by the steps that are shown to a live site, deploys again, rolls back, and sees no data of another account", async () => {
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
    await page.getByLabel("IPv4 address").fill("127.0.0.1");
    await page.getByRole("button", { name: "Add server" }).click();
    const line = page.getByLabel("Install command");
    await page.getByLabel("Also serve the projects at their domains").check();
    expect(await line.textContent()).toMatch(/ sh -s -- --ingress --policy strict$/);
    await page.getByLabel("Only these repositories").fill("https://github.com/you/* it's");
    await page.keyboard.press("Tab");
    await page.getByText("it's must be an address such as").waitFor();
    await page.getByLabel("Only these repositories").fill("https://github.com/you/* git@github.com:you/shop");
    expect(await line.textContent()).toMatch(
      / --policy strict --repositories 'https:\/\/github\.com\/you\/\*,git@github\.com:you\/shop'$/,
    );
    await page.getByLabel("Open: everything that a project's settings say is allowed").check();
    expect(await line.textContent()).toMatch(/ --policy open$/);
    await page.getByLabel("Also serve the projects at their domains").uncheck();
    await line.waitFor();
    await page.getByText("Waiting for the agent…").waitFor();
    expect(await violations(page)).toEqual([]);
    agent = await joinServer((await line.textContent()) ?? "", agentHome, ["--sites-socket", socket]);
    agent.start();

    await page.getByText("web-1 is connected.").waitFor();
    await page.getByLabel("Name").fill("first");
    await page.getByLabel("Repository").fill(path);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add project" }).click();
    await page.getByRole("button", { name: "Deploy first" }).click();
    await page.locator("h1 .status.live").waitFor();
    const { api } = account("second");
    const [row] = ProjectRows.parse((await api.call("GET", "/v1/projects")).json).projects;
    const project = await api.getProject(row?.id ?? "");
    // The page has the session of its own address, with the host name.
    const { origin } = new URL(page.url());
    const site = `${origin}/app/projects/${project.id}`;
    const served = async () => await (await fetch(project.url ?? "")).text();
    expect(await served()).toBe("first");

    await commit({ "index.html": "second" });
    await page.goto(site);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await dialog.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("heading", { name: "v2" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    expect(await served()).toBe("second");

    await page.goto(site);
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByRole("button", { name: "Roll back to v1" }).click();
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    expect(await served()).toBe("first");

    for (const [address, thing] of [
      [`deployments/${local.deployment_id}`, "deployment"],
      [`projects/${local.project_id}`, "project"],
      [`projects/${local.project_id}/settings`, "project"],
    ] as const) {
      await page.goto(`${origin}/app/${address}`);
      await page.getByText(`Could not find the ${thing}`).waitFor();
      expect(await page.getByText("hello-site").count()).toBe(0);
    }
    await page.goto(`${origin}/app/servers`);
    await page.getByRole("rowheader", { name: "web-1" }).waitFor();
    expect(await page.getByRole("rowheader").count()).toBe(1);
    await page.goto(`${origin}/app/`);
    await page.getByRole("link", { name: "first" }).first().waitFor();
    expect(await page.getByText("hello-site").count()).toBe(0);
  });
});
