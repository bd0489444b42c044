import { describe, expect, it } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";

import { createApi } from "../support/journey-api.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard();

describe("tokens, by keyboard", () => {
  it("are created for selected projects, copied, rotated and revoked", async () => {
    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { signIn, goTo, press, choose, write, receivesFocus } = keyboardOf(page);
    const dialog = page.getByRole("dialog");
    const isClosed = () => dialog.waitFor({ state: "detached" });
    const copied = async () => {
      await press(dialog.getByRole("button", { name: "Copy" }));
      await dialog.getByText("Copied").waitFor();
      return String(await page.evaluate("navigator.clipboard.readText()"));
    };
    const heading = page.getByRole("heading", { level: 1, name: "Tokens" });
    await signIn(local, "/app/tokens");
    await receivesFocus(heading);

    const create = page.getByRole("button", { name: "Create a token" });
    await press(create);
    await receivesFocus(dialog.getByLabel("Name"));
    await page.keyboard.type("by keys");
    const purpose = dialog.getByLabel("For", { exact: true });
    expect(await purpose.inputValue()).toBe("Deploying from CI");
    for (const scope of ["Deploy, roll back, scale, cancel and delete", "View projects"])
      await press(dialog.getByLabel(scope), "Space");
    await goTo(dialog.getByLabel("Access"));
    await page.keyboard.type("Only");
    await press(dialog.getByRole("button", { name: "Create token" }));
    await expect.poll(() => dialog.getByText("Choose at least one.").count()).toBe(2);
    expect(await purpose.inputValue()).toBe("");
    // Write access includes read access.
    const deploys = dialog.getByLabel("Deploy, roll back, scale, cancel and delete");
    await press(deploys, "Space");
    expect(await dialog.getByLabel("View deployments").isDisabled()).toBe(true);
    expect(await dialog.getByLabel("View deployments").isChecked()).toBe(true);
    const powers = dialog.getByRole("status");
    expect(await powers.getByRole("listitem").allTextContents()).toEqual([
      "read what builds, apps and jobs print",
      "choose which code is deployed",
    ]);
    await press(deploys, "Space");
    expect(await powers.textContent()).toBe("");
    await press(dialog.getByLabel("View deployments"), "Space");
    await press(dialog.getByLabel("hello-site"), "Space");
    await write(dialog.getByLabel("Days until it expires"), "30");
    await page.keyboard.press("Enter");

    const shown = dialog.getByLabel("Token", { exact: true });
    await receivesFocus(shown);
    // Another Enter must not close the dialog.
    await page.keyboard.press("Enter");
    const token = await copied();
    expect(token).toBe(await shown.textContent());
    await press(dialog.getByRole("button", { name: "Done" }));
    await isClosed();
    await receivesFocus(create);
    const { json } = await createApi(local.url, token).call("GET", "/v1/account");
    expect(Account.parse(json).token).toMatchObject({
      scopes: ["deployments:read"],
      project_ids: [local.project_id],
    });

    const row = page.getByRole("row").filter({ hasText: "by keys" });
    const menu = row.getByRole("button", { name: "Actions for by keys" });
    await choose(menu, "Rotate");
    await receivesFocus(shown);
    expect(await copied()).not.toBe(token);
    await page.keyboard.press("Escape");
    await isClosed();
    await receivesFocus(menu);

    await choose(menu, "Revoke");
    await press(dialog.getByRole("button", { name: "Cancel" }));
    await isClosed();
    await receivesFocus(menu);
    await choose(menu, "Revoke");
    await press(dialog.getByRole("button", { name: "Revoke" }));
    await row.waitFor({ state: "detached" });
    await receivesFocus(heading);
  });
});
