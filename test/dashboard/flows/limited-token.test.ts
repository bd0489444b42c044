import { describe, expect, it } from "vitest";

import { allScopes, type Scope } from "#contract/scopes.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { violations } from "./support/browser.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

async function tokenWith(...scopes: readonly Scope[]): Promise<string> {
  return await makeToken({ scopes });
}

async function makeToken(limits: Readonly<Record<string, unknown>>): Promise<string> {
  const { json } = await api.call("POST", "/v1/tokens", { name: "limited", ...limits });
  return TokenWithSecret.parse(json).token;
}

/** What is asked all the same, to learn that it may not be seen. */
const expected = /status of 403/;

describe("somebody with a token that may only see deployments", () => {
  it("sees those on every page that has them, and is told what else there would be", async () => {
    const { page } = await visit({ expected });
    const token = await tokenWith("deployments:read");
    const notShown = (what: string) => page.getByText(`may not see ${what}.`);
    await signInWithToken(page, { ...local, token }, "/app/");
    await page.getByText("limited token").waitFor();
    await notShown("the projects").waitFor();
    await page.getByRole("heading", { name: local.project_id }).getByRole("link").click();

    await notShown("the project").waitFor();
    await page.getByRole("list", { name: "Deployments" }).getByRole("link", { name: "v1" }).click();
    await page.getByRole("region", { name: "Lines" }).getByText("Queued as version 1").waitFor();
    for (const section of ["Servers", "Tokens"]) {
      await page.getByRole("link", { name: section }).click();
      await notShown(`the ${section.toLowerCase()}`).waitFor();
    }
    await page.getByRole("link", { name: "Projects" }).click();
    await notShown("the projects").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("is offered nothing that the token may not do", async () => {
    const { page } = await visit({ expected });
    const token = await tokenWith("deployments:read", "projects:read", "servers:read");
    await signInWithToken(page, { ...local, token }, `/app/projects/${local.project_id}`);
    await page.getByRole("list", { name: "Deployments" }).getByText("v1").waitFor();
    for (const name of ["Deploy", "Roll back", "Delete v1"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Servers" }).click();
    await page.getByRole("article").first().waitFor();
    for (const name of ["Add a server", "Rename", "Remove"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("somebody with a token that is limited to a project", () => {
  it("can change its settings, but is not offered another server", async () => {
    const { page } = await visit();
    const scopes = ["projects:write", "servers:read"];
    const token = await makeToken({ scopes, project_ids: [local.project_id] });
    await signInWithToken(page, { ...local, token }, `/app/projects/${local.project_id}/settings`);
    await page.getByLabel("Branch", { exact: true }).waitFor();
    await page.getByLabel("Server", { exact: true }).waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("sees servers, and is offered no change of them, whatever its scopes", async () => {
    const { page } = await visit();
    const token = await makeToken({ scopes: allScopes, project_ids: [local.project_id] });
    await signInWithToken(page, { ...local, token }, "/app/servers");
    await page.getByRole("article").first().waitFor();
    await page.getByText("limited token").waitFor();
    for (const name of ["Add a server", "Rename", "Remove"])
      await page.getByRole("button", { name }).waitFor({ state: "detached" });
    await page.goto(`${local.url}/app/`);
    await page.getByText("limited token").waitFor();
    await page.getByRole("link", { name: "Add a project" }).waitFor({ state: "detached" });
  });
});
