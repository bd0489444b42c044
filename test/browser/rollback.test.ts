import { describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("a rollback", () => {
  it("starts from the live deployment that was shown, and is confirmed again if another one went live", async () => {
    const { path, commit } = await repository("back");
    const project = await api.createProject({ name: "back", server_id: local.server_id, repository: path });
    const deploy = async (content: string) => {
      await commit({ "index.html": content });
      await api.ended((await api.start(project.id)).id);
    };
    await deploy("one");
    await deploy("two");

    // The console logs the 412 response to the first attempt.
    const { page } = await visit({ expected: /412/ });
    await openSignedIn(page, local, `/app/projects/${project.id}`);
    const dialog = page.getByRole("dialog");
    const shown = () => dialog.locator("dd strong").allTextContents();
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByRole("button", { name: "Roll back to v1" }).waitFor();
    expect(await shown()).toEqual(["v2", "v1"]);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await deploy("three");
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByRole("button", { name: /^Roll back to/ }).waitFor();
    expect(await shown()).toEqual(["v3", "v2"]);

    await deploy("four");
    // The page behind the dialog already shows it.
    await page.locator(".production > .details").getByText("v4", { exact: true }).waitFor();
    expect(await shown()).toEqual(["v3", "v2"]);
    await dialog.getByRole("button", { name: "Roll back to v2" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Roll back to v3" }).waitFor();
    expect(await shown()).toEqual(["v4", "v3"]);
    await dialog.getByLabel("Roll back to").selectOption({ label: await optionOf("v1") });
    await dialog.getByRole("button", { name: "Roll back to v1" }).click();
    await page.getByRole("heading", { name: "v5" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    const { url } = await api.getProject(project.id);
    expect(await (await fetch(url ?? "")).text()).toBe("one");

    // Settings that are not live yet need an approval, so the rollback goes back without them.
    const changes = { approval: "required", activate_command: "echo new" };
    await api.call("PATCH", `/v1/projects/${project.id}`, changes);
    await page.goto(`${local.url}/app/projects/${project.id}`);
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByRole("button", { name: /^Roll back to/ }).waitFor();
    await dialog.getByLabel("Roll back to").selectOption({ label: await optionOf("v2") });
    await dialog
      .getByText(
        "Runs with the settings of v2 and does not wait. Changes of activate_command need an approval.",
      )
      .waitFor();
    expect(await violations(page, "dark", "dialog")).toEqual([]);
    await dialog.getByLabel("Settings").selectOption("Current settings (waits)");
    await dialog
      .getByText("Waits for an approval, because it changes more than the code: activate_command.")
      .waitFor();
    await dialog.getByRole("button", { name: "Roll back to v2" }).click();
    await page.getByText("It changes more than the code: activate_command.").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator("h1 .status.live").waitFor();
    await page.getByText(/approved by /).waitFor();

    async function optionOf(version: string): Promise<string> {
      const labels = await dialog.getByRole("option").allTextContents();
      return labels.find((label) => label.startsWith(`${version} `)) ?? "";
    }
  });
});
