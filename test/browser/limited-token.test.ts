import { describe, expect, it } from "vitest";

import { allScopes, type Scope } from "#contract/scopes.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { addMember, becomeOwner } from "../support/people.ts";
import { violations } from "./support/browser.ts";
import { openSignedIn, signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, link, named, api, visit } = await useDashboard();

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

describe("a member who views the account and deploys one project", () => {
  it("is offered in each place what their roles allow there", async () => {
    const owner = await becomeOwner(local.url, new URL(link).hash.slice("#code=".length), "Ada");
    const { server_id, repository } = await api.getProject(local.project_id);
    const { id: other } = await api.createProject({ name: "other-site", server_id, repository });
    const grace = await addMember(
      local.url,
      owner.token,
      [{ role: "viewer" }, { role: "deployer", project_ids: [local.project_id] }],
      "Grace Hopper",
    );
    const { page } = await visit({ expected });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const signedIn = {
      url: named,
      token: grace.token,
      account_id: local.account_id,
      kind: "session",
    } as const;

    await openSignedIn(page, signedIn, `/app/projects/${local.project_id}`);
    await page.getByRole("list", { name: "Deployments" }).getByText("v1").waitFor();
    await button("Actions for v1").waitFor();
    expect(await button("Deploy").count()).toBe(1);
    await page.goto(`${named}/app/projects/${other}`);
    await page.getByText("No deployments yet").waitFor();
    expect(await button("Deploy").count()).toBe(0);

    await page.keyboard.press("Control+K");
    const search = page.getByRole("dialog").getByRole("combobox");
    const found = page.getByRole("option").locator(".label");
    await search.fill("command deploy");
    await expect.poll(() => found.allTextContents()).toEqual(["Deploy hello-site"]);
    await search.fill("tokens");
    await expect.poll(() => found.allTextContents()).toEqual(["Profile"]);
    for (const hidden of ["Members", "Audit log", "Add a project"]) {
      await search.fill(hidden);
      await page.getByText(`Nothing has “${hidden}”.`).waitFor();
    }

    const notice = page.getByText("Your role lets you see these settings. Ask an admin to change them.");
    for (const part of ["", "/build", "/domains", "/releases", "/processes", "/cron", "/pushes"]) {
      await page.goto(`${named}/app/projects/${local.project_id}/settings${part}`);
      await notice.waitFor();
      expect(await page.locator("main form :is(input, textarea, select):enabled").count(), part).toBe(0);
      expect(await page.getByRole("button", { name: /^Save|^Delete/ }).count(), part).toBe(0);
      expect(await violations(page), part).toEqual([]);
    }
    await page.goto(`${named}/app/projects/${local.project_id}/variables`);
    await page.getByText("Your role lets you see the variables.").waitFor();
    expect(await button("Add a variable").count()).toBe(0);
    await page.goto(`${named}/app/projects/${local.project_id}/commands`);
    await page.getByText("Your role does not allow one-off commands. Ask an admin.").waitFor();
    await page.goto(`${named}/app/projects/new`);
    await page.getByText("Your role does not allow adding projects. Ask an admin.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});
