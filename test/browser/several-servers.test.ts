import { afterAll, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { crashLooping, instanceReport, processReport } from "../support/process-reports.ts";
import { faultsOf, hasFocus, phone, violations } from "./support/browser.ts";
import {
  createProjectOnServers,
  linesOf,
  permitted,
  prepare,
  switchTo,
} from "./support/project-on-servers.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });
const names = ["web-1", "web-2", "web-3"] as const;
const shop = await createProjectOnServers(local, names);
afterAll(() => shop.stop());

const [first, second, third] = shop.members;
if (first === undefined || second === undefined || third === undefined) throw new Error("three servers");
const projectPath = `/app/projects/${shop.id}`;

/** Waits for another order of a deployment. */
async function orderAfter(id: DeploymentId, { run_id: before }: RunOrder): Promise<RunOrder> {
  const runId = async () => (await first?.agent.orderOf(id))?.run_id;
  await expect.poll(runId).not.toBe(before);
  const order = await first?.agent.orderOf(id);
  if (order === undefined) throw new Error("no order");
  return order;
}

describe("a deployment to three servers", () => {
  it("shows each server with its stages, from the first build until all are live", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, projectPath);
    const { id } = await shop.api.start(shop.id);
    await page.goto(`${local.url}/app/deployments/${id}`);
    const servers = page.getByRole("region", { name: "Servers" });
    const row = (name: string) =>
      servers.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });

    const one = await prepare(first.agent, id);
    await row("web-1").getByText("Ready, waits for others").waitFor();
    const two = await second.agent.orderOf(id);
    await second.agent.reports(two, { type: "stage", stage: "fetch" }, linesOf("fetch", "Fetched main"));
    await row("web-2").locator(".status.building", { hasText: "Fetch" }).waitFor();
    const two2 = await prepare(second.agent, id);
    await servers.getByText("3 servers: 1 waiting, 2 ready").waitFor();
    const three = await prepare(third.agent, id);
    expect(await violations(page)).toEqual([]);

    // A stage has one group, although its lines are from three servers.
    const log = page.getByRole("region", { name: "Log" });
    const build = log.getByRole("region", { name: "Build" });
    await build.getByText("6 lines").waitFor();
    expect(await build.locator(".server").allTextContents()).toEqual([
      ...["web-1", "web-1", "web-2", "web-2", "web-3", "web-3"],
    ]);
    await row("web-2").getByRole("button", { name: "web-2" }).click();
    await build.getByText(`building on ${second.id}`).waitFor();
    expect(await build.locator(".row").count()).toBe(2);
    await expect.poll(() => hasFocus(log.getByLabel("Server"))).toBe(true);
    await log.getByLabel("Server").selectOption("All servers");
    await build.getByText("6 lines").waitFor();

    await switchTo(first.agent, one);
    await row("web-1").getByText("Switched").waitFor();
    await servers.getByText("3 servers: 1 at work, 1 ready, 1 switched").waitFor();
    await switchTo(second.agent, two2);
    await switchTo(third.agent, three);
    await page.locator("h1 .status.live").waitFor();
    await servers.getByText("3 servers: 3 live").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("names the server that failed, and shows that the others went back", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, projectPath);
    const { id } = await shop.api.start(shop.id);
    const one = await prepare(first.agent, id);
    const two = await prepare(second.agent, id);
    const three = await prepare(third.agent, id);
    await switchTo(first.agent, one);
    await permitted(second.agent, two);
    const failing_line = "Error: 503 from /up";
    const failure = {
      ...({ code: "health_check_failed", message: "503 from /up", stage: "verify", failing_line } as const),
    };
    const served = { project_id: two.project_id, release: 1, releases: [1], url: null };
    await page.goto(`${local.url}/app/deployments/${id}`);
    const servers = page.getByRole("region", { name: "Servers" });
    await servers.getByText("1 switched").waitFor();
    await second.agent.reports(
      two,
      ...([{ type: "stage", stage: "activate" }, linesOf("activate", "switching")] as const),
      ...([{ type: "stage", stage: "verify" }, linesOf("verify", failing_line)] as const),
      { type: "result", result: { outcome: "failed", failure }, project: served },
    );
    await servers.getByText("Going back").waitFor();
    await page.locator("h1 .status", { hasText: "Going back" }).waitFor();
    await first.agent.completes(await orderAfter(id, one), [1, 2]);
    await third.agent.reports(three, { type: "result", result: { outcome: "canceled" }, project: served });
    await page.getByRole("heading", { name: "Verify failed on web-2: 503 from /up" }).waitFor();
    await servers.getByText("Went back to v1").waitFor();
    await servers.getByText("3 servers: 1 failed, 1 went back, 1 stopped").waitFor();
    await page.getByText("A release that was live before stays live.").waitFor();

    // What failed is in the log of another server, so that the stages of this one are open.
    await servers.getByRole("button", { name: "web-3" }).click();
    const log = page.getByRole("region", { name: "Log" });
    await log.getByText(`building on ${third.id}`).waitFor();
    expect(await log.getByRole("button", { name: "First error" }).count()).toBe(0);
    await page.getByRole("region", { name: "Failure" }).getByRole("button", { name: "Show all" }).click();
    await page.locator(".linked", { hasText: "Error: 503 from /up" }).waitFor();
    await expect.poll(() => log.getByLabel("Server").inputValue()).toBe("");
    expect(await faultsOf(page)).toEqual([]);

    await page.setViewportSize(phone);
    const shown = () => servers.getByRole("rowheader").allTextContents();
    await expect.poll(shown).toEqual(["web-2", "web-1", "web-3"]);
    expect(await violations(page, "dark")).toEqual([]);
    const [scroll, inner] = await page.evaluate<number[]>(
      "[document.documentElement.scrollWidth, innerWidth]",
    );
    expect(scroll).toBeLessThanOrEqual(inner ?? 0);
  });
});

describe("the page of a project on three servers", () => {
  it("says what each server serves, with the server that has a problem first on a phone", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, projectPath);
    const table = page.getByRole("table", { name: "Servers of the project" });
    const row = (name: string) =>
      table.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
    await row("web-1").getByText("Live", { exact: true }).waitFor();
    await row("web-1").getByText("v1", { exact: true }).waitFor();

    const served = { project_id: (await third.agent.receives("run")).order.project_id, release: 1 };
    const worker = processReport("worker", { instances: [instanceReport("worker-1-0", crashLooping)] });
    third.agent.serving({ ...served, releases: [1], url: null, processes: [worker] });
    await row("web-3").getByText("Degraded").waitFor();
    await row("web-3").getByText("Crash looping").waitFor();
    await table
      .getByRole("list", { name: "Problems on web-3" })
      .getByText(/^worker 0 of 1: it ended/)
      .waitFor();
    second.agent.cut();
    const isLost = async () => (await shop.api.getProject(shop.id)).servers_state[1]?.status;
    await expect.poll(isLost).toBe("unknown");
    // A short disconnect is no event, so the page polls it slowly.
    await page.reload();
    await row("web-2").getByText("Not connected").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize(phone);
    const shown = () => table.getByRole("rowheader").allTextContents();
    await expect.poll(shown).toEqual(["web-2", "web-3", "web-1"]);
    expect(await violations(page, "dark")).toEqual([]);
    await second.agent.connect();
  });
});

describe("the settings of a project on several servers", () => {
  it("order the servers, choose what runs on each, and say how a deployment gets to them", async () => {
    const { page } = await visit();
    const { api } = shop;
    const other = await api.createProject({
      name: "blog",
      server_id: first.id,
      repository: "https://git.example.com/acme/blog.git",
      processes: { web: { command: "node web.js" }, worker: { command: "node worker.js" } },
    });
    await openSignedIn(page, local, `/app/projects/${other.id}/settings`);
    const list = page.getByRole("list", { name: "Servers" });
    const order = () => list.locator("strong").allTextContents();
    const add = async (name: string) => {
      await page.getByRole("button", { name: "Add a server" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    const save = async () => {
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
    };
    await page.getByRole("combobox", { name: "Server", exact: true }).waitFor();
    expect(await list.count()).toBe(0);
    await add("web-2");
    await add("web-3");
    expect(await order()).toEqual(["web-1", "web-2", "web-3"]);
    expect(await page.getByRole("button", { name: "Add a server" }).count()).toBe(0);

    const down = page.getByRole("button", { name: "Move web-1 down" });
    await down.click();
    await expect.poll(order).toEqual(["web-2", "web-1", "web-3"]);
    await expect.poll(() => hasFocus(down)).toBe(true);
    await page.getByLabel("Processes on web-3").selectOption("Some processes");
    const processes = page.getByRole("group", { name: "Which processes run on web-3" });
    await processes.getByLabel("web", { exact: true }).uncheck();
    await processes.getByText("Does not serve the domain.").waitFor();
    await page.getByLabel("Cron jobs run on").selectOption("web-3");
    await page.getByLabel("Servers in a batch").fill("0");
    await page.getByLabel("Servers in a batch").blur();
    await page.getByText("Must be 1 or more.").waitFor();
    await page.getByLabel("Servers in a batch").fill("2");
    await page.getByLabel("Servers that switch first").fill("1");
    await page.getByLabel("If a server is not connected").selectOption("Deploy without it");
    await page.getByLabel("Servers that must switch").fill("2");
    // Unsaved changes survive a reload of the page.
    await page.reload();
    await expect.poll(order).toEqual(["web-2", "web-1", "web-3"]);
    expect(await faultsOf(page)).toEqual([]);
    await save();
    expect(await api.getProject(other.id)).toMatchObject({
      server_id: second.id,
      servers: [
        { id: second.id, processes: null, cron: false },
        { id: first.id, processes: null, cron: false },
        { id: third.id, processes: ["worker"], cron: true },
      ],
      rollout: { batch: 2, canary: { size: 1 }, offline: "skip", min: 2, on_failure: "revert" },
    });

    await page.getByRole("button", { name: "Remove web-3" }).click();
    await page.getByText("web-3 serves the project until the next deployment is live.").waitFor();
    await page.getByRole("button", { name: "Remove web-1" }).click();
    await page.getByText("blog is removed from web-1, web-3 after its next deployment.").waitFor();
    await save();
    expect((await api.getProject(other.id)).servers_state).toEqual([]);
    expect((await api.getProject(other.id)).server_id).toBe(second.id);
  });
});

describe("the traffic of a project on several servers", () => {
  it("goes through a balancer that is chosen, and the project's page says what is not set up", async () => {
    const { page } = await visit();
    const { api } = shop;
    const members = [first, second].map(({ id }) => ({ id }));
    const repository = "https://git.example.com/acme/wiki.git";
    const wiki = await api.createProject({ name: "wiki", server_id: first.id, servers: members, repository });
    await openSignedIn(page, local, "/app/servers");
    await page.getByRole("button", { name: "Actions for web-1" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit web-1" });
    await dialog.getByLabel("Address for balancers").fill("10.0.0.300");
    await dialog.getByLabel("Address for balancers").blur();
    await dialog.getByText(/^Must be an IP address or a host name/).waitFor();
    await dialog.getByLabel("Address for balancers").fill("10.0.0.1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await api.call("PATCH", `/v1/servers/${second.id}`, { address: "10.0.0.2" });

    await page.goto(`${local.url}/app/projects/${wiki.id}/settings/domains`);
    const records = page.getByRole("table", { name: "DNS records" });
    await records.getByText("192.0.2.2", { exact: true }).waitFor();
    await page.getByLabel("Where visitors arrive").selectOption("At a balancer of Gantry");
    const balancers = page.getByRole("group", { name: "Balancers: one or two servers" });
    await balancers.getByLabel("web-3").check();
    await page.getByLabel("Send a visitor to the same server again").check();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. The servers get the change now.").waitFor();
    await records.getByText("192.0.2.3", { exact: true }).waitFor();
    expect(await records.getByText("192.0.2.2", { exact: true }).count()).toBe(0);
    expect((await api.getProject(wiki.id)).entry).toEqual({
      ...{ type: "balancer", balancers: [third.id], sticky: true },
    });

    await page.goto(`${local.url}/app/projects/${wiki.id}`);
    await page.getByText("The balancer cannot reach all servers, or is not set up.").waitFor();
    await page.getByText("web-3 reports no Gantry ingress with TLS.").waitFor();
    expect(await violations(page, "dark")).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe("a token that is limited to a project on several servers", () => {
  it("may choose what runs on each server, but not move the project", async () => {
    const { page } = await visit();
    const made = await shop.api.call("POST", "/v1/tokens", {
      name: "shop only",
      scopes: ["projects:write", "projects:read", "servers:read"],
      project_ids: [shop.id],
      expires_in_days: 1,
    });
    const { token } = TokenWithSecret.parse(made.json);
    await openSignedIn(page, { ...local, token }, `${projectPath}/settings`);
    await page.getByLabel("Processes on web-2").selectOption("Some processes");
    for (const name of [/^Move web-/, /^Remove web-/, "Add a server"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await page
      .getByLabel("If a server fails after others have switched")
      .selectOption("Continue with the others");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
    expect(await shop.api.getProject(shop.id)).toMatchObject({
      servers: [{ processes: null }, { processes: ["web"] }, { processes: null }],
      rollout: { on_failure: "continue" },
    });
  });
});

describe("the deploy keys of a project on several servers", () => {
  it("are one list to copy, with the fingerprint of each server", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, `${projectPath}/repository`);
    await page.getByRole("heading", { name: "Deploy keys" }).waitFor();
    const keys = async () => (await page.getByLabel("Public keys").textContent())?.split("\n").length;
    await expect.poll(keys).toBe(3);
    for (const name of names) await page.getByRole("term").getByText(name, { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
