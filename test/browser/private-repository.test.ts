import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { serveSsh, type SshServer } from "../support/ssh-server.ts";
import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, repository, visit } = await useDashboard();

let server: SshServer;
beforeAll(async () => {
  server = await serveSsh(join(home, "ssh-server"));
});
afterAll(() => server.close());

it("a private repository: a refused deployment leads to the key, which is copied, added and tested", async () => {
  const { path, commit } = await repository("private");
  await commit({ "index.html": "private" });
  const project = await api.createProject({
    name: "private",
    server_id: local.server_id,
    repository: server.url(path),
  });
  const failed = await api.ended((await api.start(project.id)).id);
  expect(failed.failure?.code).toBe("fetch_failed");

  const { page, context } = await visit();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSignedIn(page, local, `/app/deployments/${failed.id}`);
  await page.getByRole("link", { name: "Repository access" }).click();
  await page.getByRole("heading", { name: "Repository access" }).waitFor();
  const test = page.getByRole("button", { name: "Test the repository" });
  await test.click();
  await page.getByText("The server cannot read the repository.").waitFor();
  expect(await violations(page, "light")).toEqual([]);

  const shown = page.getByLabel("Public key", { exact: true });
  const key = (await shown.textContent()) ?? "";
  expect(key).toMatch(/^ssh-ed25519 \S+ gantry-private@/);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
  await page.getByText("Settings → Deploy keys").waitFor();

  server.allow(key, path);
  await test.click();
  await page.getByText("The server can read the repository.").waitFor();
  await page.getByText(server.hostFingerprint()).waitFor();
  expect(await violations(page, "dark")).toEqual([]);
  expect((await api.ended((await api.start(project.id)).id)).status).toBe("live");

  // From the project's page too.
  await page.getByRole("link", { name: "private", exact: true }).click();
  await page.getByRole("link", { name: "Repository access" }).click();
  await shown.waitFor();
});

it("says that an https address does not use the key, and what a server without an agent means", async () => {
  const { page } = await visit({ expected: /409/ });
  const made = await api.call("POST", "/v1/servers", { name: "off", ip: "192.0.2.9" });
  const project = await api.createProject({
    name: "public",
    server_id: ServerCreated.parse(made.json).id,
    repository: "https://git.example.com/acme/shop.git",
  });
  await openSignedIn(page, local, `/app/projects/${project.id}/repository`);
  await page.getByText("The deploy key is not used with this address.").waitFor();
  await page.getByText("or set the secret GANTRY_REPOSITORY_TOKEN").waitFor();
  await page.getByText("Loading the deploy key failed.").waitFor();
  await page.getByText("is not connected").waitFor();
});
