import { describe, expect, it } from "vitest";

import { hasFocus } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("the keyboard alone", () => {
  it("is enough to sign in, deploy, read the log, roll back, change settings, delete and sign out", async () => {
    const { path, commit } = await repository("keys");
    await commit({ "index.html": "one" });
    const project = await api.createProject({
      name: "keys",
      server_id: local.server_id,
      repository: path,
      build_command: "seq 300",
    });
    await api.ended((await api.start(project.id)).id);
    await commit({ "index.html": "two" });

    // The page reads a deployment every few seconds, so it may ask for the deployment that it has just deleted.
    const { page } = await visit({ expected: /status of 404 .*\/v1\/deployments\/dpl_/ });
    const { signIn, goTo, press, choose, write, receivesFocus } = keyboardOf(page);
    const dialog = page.getByRole("dialog");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await signIn(local, "/app/");

    await page.getByRole("heading", { name: "Projects" }).waitFor();
    await press(page.getByRole("link", { name: "keys", exact: true }));
    const heading = page.getByRole("heading", { level: 1, name: "keys" });
    await heading.waitFor();
    expect(await hasFocus(heading)).toBe(true);
    await press(button("Deploy"));
    await write(dialog.getByLabel("Branch"), "main");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "v2" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    const lines = page.getByRole("region", { name: "Lines" });
    await goTo(page.getByRole("button", { name: "Build" }));
    await page.keyboard.press("Home");
    await lines.getByText("1", { exact: true }).first().waitFor();
    // The key goes to the end of the lines that are loaded, and more may follow.
    const goToEnd = async () => {
      await page.keyboard.press("End");
      return await lines.getByText("300", { exact: true }).last().isVisible();
    };
    await expect.poll(goToEnd).toBe(true);
    await write(page.getByLabel("Search the log"), "123");
    await page.keyboard.press("Enter");
    await page.locator("mark", { hasText: "123" }).waitFor();

    await press(page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").last());
    await press(button("Roll back"));
    await press(dialog.getByRole("button", { name: "Roll back to v1" }));
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.locator("h1 .status.live").waitFor();

    await press(page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").last());
    const list = page.getByRole("list", { name: "Deployments" });
    await list.getByText("v3").waitFor();
    await goTo(page.getByLabel("Status"));
    await page.keyboard.type("Supers");
    await list.getByText("v3").waitFor({ state: "detached" });
    await press(list.getByRole("link").filter({ hasText: "v2" }));
    await press(button("Delete"));
    await press(dialog.getByRole("button", { name: "Delete" }));
    await page.getByRole("heading", { level: 1, name: "keys", exact: true }).waitFor();
    expect((await api.listDeployments(project.id)).map(({ version }) => version)).toEqual([3, 1]);

    await press(page.getByRole("link", { name: "Settings" }));
    await press(page.getByRole("link", { name: "Source and build" }));
    await press(page.getByLabel("Skip the installation"), "Space");
    await write(page.getByLabel("Build command"), "echo made");
    await press(page.getByLabel("Skip the build"), "Space");
    await press(page.getByLabel("Skip the build"), "Space");
    await press(button("Save"));
    await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
    await receivesFocus(button("Save"));
    expect(await api.getProject(project.id)).toMatchObject({
      install_command: null,
      build_command: "echo made",
    });

    await press(page.getByRole("link", { name: "Tokens" }));
    await press(button("Create a token"));
    await write(dialog.getByLabel("Name"), "keys");
    await press(dialog.getByLabel("View servers"), "Space");
    await press(dialog.getByRole("button", { name: "Create token" }));
    await goTo(dialog.getByLabel("Token", { exact: true }));
    await press(dialog.getByRole("button", { name: "Done" }));
    const row = page.getByRole("row").filter({ hasText: "keys" });
    await row.getByText("View servers").waitFor();
    await choose(row.getByRole("button", { name: "Actions for keys" }), "Revoke");
    await press(dialog.getByRole("button", { name: "Revoke" }));
    await row.waitFor({ state: "detached" });

    await press(button("Sign out"));
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
  });

  it("skips from the start of the page to its content", async () => {
    const { page } = await visit();
    const { signIn, press } = keyboardOf(page);
    await signIn(local, "/app/servers");
    await page.getByRole("heading", { name: "Servers" }).waitFor();
    await page.reload();
    await press(page.getByRole("link", { name: "Skip to content" }));
    await page.keyboard.press("Tab");
    expect(await hasFocus(page.getByRole("button", { name: "Add a server" }))).toBe(true);
  });
});
