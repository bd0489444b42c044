import { join } from "node:path";

import { afterAll, describe, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { type Agent, joinServer } from "./support/operator.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, account, home, repository, visit } = await useDashboard({ account: "empty" });

let agent: Agent | null = null;
afterAll(() => agent?.kill());

describe("a server that loses its connection", () => {
  it("is shown as offline with a waiting deployment, which runs when the server connects again", async () => {
    const { path, commit } = await repository("away");
    await commit({ "index.html": "away" });
    const { api, token } = account("lost");
    const created = await api.call("POST", "/v1/servers", { name: "web-9", ip: "192.0.2.9" });
    const server = ServerCreated.parse(created.json);
    agent = await joinServer(server.enrollment.command, join(home, "lost-agent"));
    agent.start();
    const project = await api.createProject({ name: "away", server_id: server.id, repository: path });

    const { page } = await visit();
    await signInWithToken(page, { ...local, token }, "/app/servers");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "web-9" }) });
    const menu = row.getByRole("button", { name: "Actions for web-9" });
    const remove = page.getByRole("menuitem", { name: "Remove" });
    await row.locator(".status.healthy").waitFor();
    // The details of the only server are open.
    await page.getByText(/^node \d+\.\d+\.\d+, /).waitFor();
    await agent.kill();
    await row.locator(".status.offline").waitFor();

    await page.getByRole("link", { name: "away", exact: true }).click();
    await page.locator(".status.offline").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("waiting for the server to take it").waitFor();
    agent.start();
    await page.locator("h1 .status.live").waitFor();

    await page.getByRole("link", { name: "Servers" }).click();
    await row.locator(".status.healthy").waitFor();
    await menu.click();
    await remove.click();
    await page.getByRole("dialog").getByText("The server has projects. Move or delete them first.").waitFor();
    await page.keyboard.press("Escape");

    await page.goto(`${local.url}/app/projects/${project.id}/settings`);
    await page.getByRole("button", { name: "Delete away" }).click();
    await page.getByLabel("Type away to confirm").fill("away");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    await page.getByRole("link", { name: "Servers" }).click();
    await page.getByText("none", { exact: true }).waitFor();
    await menu.click();
    await remove.click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
  });
});
