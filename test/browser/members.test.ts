import { describe, expect, it } from "vitest";

import { createApi } from "../support/journey-api.ts";
import { addDevice, becomeOwner } from "./support/passkeys.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, named, link, visit } = await useDashboard();

/** The console logs refused requests. */
const expected = /status of 40[13479]/;

describe("an owner", () => {
  it("invites a person who joins, changes and removes them, and cannot remove the last owner", async () => {
    const tab = await visit({ expected });
    const { page } = tab;
    await addDevice(tab);
    await becomeOwner(page, link, "Ada L.");
    const dialog = page.getByRole("dialog");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const choose = async (menu: string, item: string) => {
      await button(`Actions for ${menu}`).click();
      await page.getByRole("menuitem", { name: item }).click();
    };

    await page.getByRole("link", { name: "Create recovery codes" }).click();
    await button("Create recovery codes").click();
    await button("Create codes").click();
    await button("Done").click();
    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("link", { name: "hello-site" }).first().waitFor();
    expect(await page.getByRole("link", { name: "Create recovery codes" }).count()).toBe(0);

    await page.getByRole("link", { name: "Members" }).click();
    await button("Invite a person").click();
    await dialog.getByLabel("E-mail address").fill("grace@example.com");
    await dialog.getByLabel("For", { exact: true }).selectOption("Only selected projects");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await dialog.getByText("Choose at least one.").waitFor();
    await dialog.getByLabel("hello-site").check();
    await dialog.getByLabel("Approve deployments").check();
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    const invitation = (await dialog.getByLabel("Link", { exact: true }).textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    const open = page.getByRole("table", { name: "Open invitations" });
    await open.getByText("Viewer of hello-site, approves deployments").waitFor();

    const guest = await visit({ expected });
    await addDevice(guest);
    await guest.page.goto(invitation);
    await guest.page.getByText("Ada L. invites you (grace@example.com) to join as:").waitFor();
    await guest.page.getByText("Viewer of 1 project, approves deployments").waitFor();
    expect(guest.page.url()).toBe(`${named}/app/join`);
    await guest.page.reload();
    await guest.page.getByText("Viewer of 1 project, approves deployments").waitFor();
    expect(guest.page.url()).toBe(`${named}/app/join`);
    await guest.page.getByLabel("Your name").fill("Grace Hopper");
    await guest.page.getByRole("button", { name: "Create a passkey and join" }).click();
    await guest.page.getByRole("link", { name: "hello-site" }).first().waitFor();
    await guest.page.getByRole("link", { name: "Grace Hopper" }).waitFor();
    for (const name of ["Members", "limited token"])
      expect(await guest.page.getByText(name, { exact: true }).count()).toBe(0);
    // A reload does not answer the hint.
    const hint = guest.page.getByText("Create recovery codes, in case you lose this device.");
    await hint.waitFor();
    await guest.page.reload();
    await hint.waitFor();
    await guest.page.getByRole("button", { name: "Dismiss" }).click();
    await guest.page.reload();
    await guest.page.getByRole("link", { name: "hello-site" }).first().waitFor();
    expect(await hint.count()).toBe(0);
    // A used link does not end the session.
    await guest.page.goto("about:blank");
    await guest.page.goto(invitation);
    await guest.page.getByText("This invitation was used").waitFor();
    await guest.page.goto("about:blank");
    await guest.page.goto(`${named}/app/join`);
    await guest.page.getByText("Open the link from your message again.").waitFor();
    await guest.page.goto(`${named}/app/`);
    await guest.page.getByRole("link", { name: "Grace Hopper" }).waitFor();

    await page.reload();
    const grace = page.getByRole("row").filter({ hasText: "Grace Hopper" });
    await grace.getByText("grace@example.com").waitFor();
    expect(await open.count()).toBe(0);
    await choose("Grace Hopper", "Edit");
    await dialog.getByLabel("Role", { exact: true }).selectOption("Admin");
    await dialog.getByLabel("For", { exact: true }).selectOption("All projects, including future ones");
    expect(await dialog.getByLabel("Approve deployments").count()).toBe(0);
    await dialog.getByRole("button", { name: "Save" }).click();
    await grace.getByText("Admin of all projects").waitFor();

    await button("Invite a person").click();
    await dialog.getByLabel("E-mail address").fill("grace@example.com");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("E-mail address").fill("alan@example.com");
    await dialog.getByRole("alert").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Cancel" }).click();

    const token = await guest.page.evaluate<string>("JSON.parse(localStorage['gantry.session']).token");
    const asGrace = createApi(local.url, token);
    await expect
      .poll(
        async () =>
          (await asGrace.call("POST", "/v1/tokens", { name: "CI", scopes: ["projects:read"] })).status,
      )
      .toBe(201);
    await choose("Grace Hopper", "Remove");
    await dialog.getByRole("link", { name: "Token CI" }).waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await grace.waitFor({ state: "detached" });
    await expect.poll(async () => (await asGrace.call("GET", "/v1/account")).status).toBe(401);

    // The last owner stays.
    await choose("Ada L.", "Remove");
    await dialog.getByText("This is you.").waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("Removing failed.").waitFor();
    await page.keyboard.press("Escape");

    await button("Invite a person").click();
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await button("Withdraw the invitation for a person with the link").click();
    await dialog.getByRole("button", { name: "Withdraw" }).click();
    await open.waitFor({ state: "detached" });
  });
});
