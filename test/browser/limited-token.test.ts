import { describe, expect, it } from "vitest";

import { allScopes, type Scope } from "#contract/scopes.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { violations } from "./support/browser.ts";
import { openSignedIn, signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

async function tokenWith(...scopes: readonly Scope[]): Promise<string> {
  return await makeToken({ scopes });
}

async function makeToken(limits: Readonly<Record<string, unknown>>): Promise<string> {
  const { json } = await api.call("POST", "/v1/tokens", { name: "limited", ...limits });
  return TokenWithSecret.parse(json).token;
}

/** The page requests all data, and learns from a 403 response what the token has no access to. */
const expected = /status of 403/;

describe("a token that may only view deployments", () => {
  it("shows them on every page, and says what the token has no access to", async () => {
    const { page } = await visit({ expected });
    const token = await tokenWith("deployments:read");
    const noAccess = (what: string) => page.getByText(`has no access to ${what}.`);
    await signInWithToken(page, { ...local, token }, "/app/");
    await page.getByText("limited token").waitFor();
    await noAccess("the projects").waitFor();
    await page.getByRole("heading", { name: local.project_id }).getByRole("link").click();

    await noAccess("the project").waitFor();
    await page.getByRole("list", { name: "Deployments" }).getByRole("link", { name: "v1" }).click();
    await page.getByRole("region", { name: "Lines" }).getByText("Queued as v1").waitFor();
    for (const section of ["Servers", "Events", "Webhooks", "Freezes"]) {
      await page.getByRole("link", { name: section }).click();
      await noAccess(`the ${section.toLowerCase()}`).waitFor();
    }
    for (const hidden of ["Audit log", "Tokens", "Members"])
      expect(await page.getByRole("link", { name: hidden }).count()).toBe(0);
    await page.goto(`${local.url}/app/audit`);
    await noAccess("the audit log entries").waitFor();
    await page.getByRole("link", { name: "Projects" }).click();
    await noAccess("the projects").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("has no buttons for actions that it does not allow", async () => {
    const { page } = await visit({ expected });
    const token = await tokenWith("deployments:read", "projects:read", "servers:read");
    await openSignedIn(page, { ...local, token }, `/app/projects/${local.project_id}`);
    await page.getByRole("list", { name: "Deployments" }).getByText("v1").waitFor();
    for (const name of ["Deploy", "Roll back", "Redeploy", "Actions for v1"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Servers" }).click();
    await page.getByRole("rowheader").first().waitFor();
    for (const name of ["Add a server", "Actions for"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("a token that is limited to a project", () => {
  it("can change the project's settings, except its server", async () => {
    const { page } = await visit();
    const scopes = ["projects:write", "servers:read"];
    const token = await makeToken({ scopes, project_ids: [local.project_id] });
    await openSignedIn(page, { ...local, token }, `/app/projects/${local.project_id}/settings`);
    await page.getByLabel("Name", { exact: true }).waitFor();
    await page.getByLabel("Server", { exact: true }).waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("shows servers without buttons to change them, whatever its scopes", async () => {
    const { page } = await visit();
    // The token that makes it has no scopes for members.
    const scopes = allScopes.filter((scope) => !scope.startsWith("members:"));
    const token = await makeToken({ scopes, project_ids: [local.project_id] });
    await openSignedIn(page, { ...local, token }, "/app/servers");
    await page.getByRole("rowheader").first().waitFor();
    await page.getByText("limited token").waitFor();
    for (const name of ["Add a server", "Actions for"])
      await page.getByRole("button", { name }).waitFor({ state: "detached" });
    await page.goto(`${local.url}/app/`);
    await page.getByText("limited token").waitFor();
    await page.getByRole("link", { name: "Add a project" }).waitFor({ state: "detached" });
  });
});
