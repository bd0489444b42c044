import { describe, expect, it } from "vitest";

import { Account } from "#contract/endpoints/accounts/schemas.ts";

import { createApi } from "../../support/journey-api.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard();

describe("tokens, without a mouse", () => {
  it("are made for some projects, copied, rotated and revoked", async () => {
    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { signIn, goTo, press, write, isBroughtTo } = keyboardOf(page);
    const dialog = page.getByRole("dialog");
    const isClosed = () => dialog.waitFor({ state: "detached" });
    const copied = async () => {
      await press(dialog.getByRole("button", { name: "Copy" }));
      await dialog.getByText("Copied").waitFor();
      return String(await page.evaluate("navigator.clipboard.readText()"));
    };
    const heading = page.getByRole("heading", { level: 1, name: "Tokens" });
    await signIn(local, "/app/tokens");
    await isBroughtTo(heading);

    const make = page.getByRole("button", { name: "Make a token" });
    await press(make);
    await isBroughtTo(dialog.getByLabel("Name"));
    await page.keyboard.type("by keys");
    for (const scope of ["Deploy, roll back, cancel and delete", "See projects"])
      await press(dialog.getByLabel(scope), "Space");
    await goTo(dialog.getByLabel("Where"));
    await page.keyboard.type("Only");
    await press(dialog.getByRole("button", { name: "Make it" }));
    await expect.poll(() => dialog.getByText("Choose at least one.").count()).toBe(2);
    await press(dialog.getByLabel("See deployments"), "Space");
    await press(dialog.getByLabel("hello-site"), "Space");
    await write(dialog.getByLabel("Days until it ends"), "30");
    await page.keyboard.press("Enter");

    const shown = dialog.getByLabel("The token");
    await isBroughtTo(shown);
    // One that is held for too long loses nothing.
    await page.keyboard.press("Enter");
    const token = await copied();
    expect(token).toBe(await shown.textContent());
    await press(dialog.getByRole("button", { name: "I have it" }));
    await isClosed();
    await isBroughtTo(make);
    const { json } = await createApi(local.url, token).call("GET", "/v1/account");
    expect(Account.parse(json).token).toMatchObject({
      scopes: ["deployments:read"],
      project_ids: [local.project_id],
    });

    const card = page.getByRole("article").filter({ hasText: "by keys" });
    await press(card.getByRole("button", { name: "Rotate" }));
    await isBroughtTo(shown);
    expect(await copied()).not.toBe(token);
    await page.keyboard.press("Escape");
    await isClosed();
    await isBroughtTo(card.getByRole("button", { name: "Rotate" }));

    await press(card.getByRole("button", { name: "Revoke" }));
    await press(dialog.getByRole("button", { name: "Leave it" }));
    await isClosed();
    await isBroughtTo(card.getByRole("button", { name: "Revoke" }));
    await press(card.getByRole("button", { name: "Revoke" }));
    await press(dialog.getByRole("button", { name: "Revoke" }));
    await card.waitFor({ state: "detached" });
    await isBroughtTo(heading);
  });
});
