import { afterAll, describe, expect, it } from "vitest";

import { ProjectId } from "#contract/ids.ts";

import { createServerWithKey } from "../cli/support/server-with-key.ts";
import { phone, violations, wideScreen } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });
const server = await createServerWithKey(local, "web-1");
const { agent, api, serverId } = server;
afterAll(() => server.stop());

describe("the table of servers", () => {
  it("shows each server's facts and problems in its row, and the others below it on demand", async () => {
    await api.call("PATCH", `/v1/servers/${serverId}`, { region: "apac" });
    await api.call("POST", "/v1/servers", { name: "web-2", ip: "192.0.2.2" });
    agent.ingressProblem = "Port 443 is taken by another program.";
    await server.changeKey();
    const { page } = await visit();
    await openSignedIn(page, local, "/app/servers");
    const row = (name: string) =>
      page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    const texts = (name: string) => row(name).locator("th, td").allTextContents();
    await expect
      .poll(() => texts("web-1"))
      .toEqual([
        "web-1",
        "Degraded",
        "Asia-Pacific",
        expect.stringMatching(/^\d+\.\d+/),
        "1",
        expect.stringMatching(/./),
        expect.stringMatching(/%$/),
        "",
      ]);
    expect(await texts("web-2")).toEqual(["web-2", "Waiting for agent", "", "", "0", "", "", ""]);
    await page.getByText("The ingress has a problem. Port 443 is taken by another program.").waitFor();

    const tools = page.getByText("node 24.11.1, corepack");
    const fold = row("web-1").getByRole("button", { name: "web-1", exact: true });
    expect(await tools.count()).toBe(0);
    for (const size of [wideScreen, phone]) {
      await page.setViewportSize(size);
      await fold.click();
      await tools.waitFor();
      await page.getByRole("link", { name: "web-1", exact: true }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const table = page.locator(".table");
      const scrolled = await table.evaluate((shown) => shown.scrollWidth - shown.clientWidth);
      expect(scrolled).toBe(0);
      for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([]);
      await fold.click();
      await tools.waitFor({ state: "detached" });
    }
    await page.getByText("The ingress has a problem.").waitFor();
    await expect.poll(() => texts("web-2")).toEqual(["web-2", "Waiting for agent", "", ""]);
  });

  it("shows below a server what makes containers or why nothing does, and what images take", async () => {
    const { disk } = agent;
    agent.ingressProblem = undefined;
    agent.containers = { engine: "podman", version: "5.4.2" };
    const images = [{ project_id: ProjectId.parse(server.projectId), bytes: 1.25 * 2 ** 30 }];
    agent.disk = { ...disk, cache_bytes: 412 * 2 ** 20, image_bytes: 1.25 * 2 ** 30, images };
    await server.changeKey();
    const { page } = await visit();
    await openSignedIn(page, local, "/app/servers");
    const fold = page.getByRole("button", { name: "web-1", exact: true });
    await fold.click();
    await page.getByText("podman 5.4.2", { exact: true }).waitFor();
    await page.getByText("412 MiB in caches, 1.3 GiB in images").waitFor();
    await page.getByRole("definition").filter({ hasText: "web-1 1.3 GiB" }).waitFor();
    const problem =
      "This server is not set up for containers. Run the install line of this server again with --with-containers, as root: it needs Debian 13 or newer.";
    agent.containers = { engine: null, problem };
    agent.disk = disk;
    await server.changeKey();
    await page.reload();
    await fold.click();
    await page.getByText(`None: ${problem}`, { exact: true }).waitFor();
    for (const size of [wideScreen, phone]) {
      await page.setViewportSize(size);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([]);
    }
  });

  it("drains a server from its menu, says so in its row and its details, and ends it", async () => {
    agent.ingressProblem = undefined;
    await server.changeKey();
    const { page } = await visit();
    await openSignedIn(page, local, "/app/servers");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "web-1" }) });
    const choose = async (label: string) => {
      await row.getByRole("button", { name: "Actions for web-1" }).click();
      await page.getByRole("menuitem", { name: label, exact: true }).click();
    };
    await choose("Drain");
    await row.getByText("draining").waitFor();
    await row.getByRole("button", { name: "web-1", exact: true }).click();
    await page.getByText("load balancers should send no requests").waitFor();
    for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([]);
    await choose("End draining");
    await row.getByText("draining").waitFor({ state: "detached" });
    agent.cut();
    await row.getByText("Offline").waitFor();
    await choose("Drain");
    await page.getByText("Stored, but the server has not applied it").waitFor();
    await api.call("POST", `/v1/servers/${serverId}/undrain`, {});
  });

  it("reads a server that a busy window reports as hidden and then seen in one call", async () => {
    await api.call("PATCH", `/v1/servers/${serverId}`, { region: "apac" });
    const { page } = await visit();
    await page.addInitScript(`
      const { IntersectionObserver: Native } = globalThis;
      globalThis.IntersectionObserver = class extends Native {
        constructor(callback, options) {
          super((entries) => callback([{ isIntersecting: false }, ...entries]), options);
        }
      };`);
    await openSignedIn(page, local, "/app/servers");
    await page.getByRole("row").filter({ hasText: "web-1" }).getByText("Asia-Pacific").waitFor();
  });
});
