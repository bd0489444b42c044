import { describe, expect, it } from "vitest";

import { createApi } from "../support/journey-api.ts";
import { addDevice } from "./support/passkeys.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, named, link, visit } = await useDashboard({ account: "empty" });

/** The console logs refused requests. */
const expected = /status of 40[139]/;

describe("a person with a sign-in link", () => {
  it("becomes the owner, and signs in with passkeys and a recovery code from then on", async () => {
    const tab = await visit({ expected });
    const { page, context } = tab;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    let device = await addDevice(tab);
    const dialog = page.getByRole("dialog");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const choose = async (menu: string, item: string) => {
      await button(`Actions for ${menu}`).click();
      await page.getByRole("menuitem", { name: item }).click();
    };

    // Passkeys do not work at an IP address.
    await page.goto(`${local.url}/app/sign-in`);
    await page.getByText("127.0.0.1 is an IP address").waitFor();
    expect(await button("Sign in with a passkey").count()).toBe(0);
    await page.getByRole("link", { name: `Open ${named}/app/sign-in` }).click();
    await button("Sign in with a passkey").click();
    await page.getByText("this device has no passkey for localhost").waitFor();

    // The owner can wait.
    await page.goto("about:blank");
    await page.goto(link);
    await button("Later").click();
    await page.getByText("This account has no owner yet").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Members" }).click();
    await button("Create the owner").click();
    await dialog.getByRole("button", { name: "Create owner" }).click();
    await dialog.getByText("Enter a name.").waitFor();
    await dialog.getByLabel("Your name").fill("Ada Lovelace");
    await dialog.getByLabel("E-mail address").fill("ada@example.com");
    expect(await dialog.getByLabel("Name of the passkey").inputValue()).toBe("Chrome on Linux");
    await device.setVerified(false);
    await dialog.getByRole("button", { name: "Create owner" }).click();
    await dialog.getByText("It was canceled").waitFor();
    await device.setVerified(true);
    await dialog.getByRole("button", { name: "Create owner" }).click();
    await page.getByRole("row").filter({ hasText: "Ada Lovelace" }).getByText("Owner").waitFor();
    await page.getByText("Invite others").waitFor();

    // Recovery codes are shown once.
    await page.getByRole("link", { name: "Ada Lovelace" }).click();
    await page.getByText("You have one passkey.").waitFor();
    await button("Create recovery codes").click();
    await dialog.getByRole("button", { name: "Create codes" }).click();
    const shown = dialog.getByLabel("Recovery codes");
    await shown.waitFor();
    const codes = ((await shown.textContent()) ?? "").split("\n");
    expect(codes).toHaveLength(8);
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(codes.join("\n"));
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("gantry-recovery-codes.txt");
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("8 codes left.").waitFor();

    // Passkeys: the device has one already, and another device gets one.
    const passkeys = page.getByRole("table", { name: "Passkeys" });
    await button("Add a passkey").click();
    await dialog.getByRole("button", { name: "Add passkey" }).click();
    await dialog.getByText("has a passkey of yours for Gantry already").waitFor();
    await device.lose();
    device = await addDevice(tab);
    await dialog.getByLabel("Name of the passkey").fill("Phone");
    await dialog.getByRole("button", { name: "Add passkey" }).click();
    await passkeys.getByText("Phone").waitFor();
    await choose("Phone", "Rename");
    await dialog.getByLabel("Name of the passkey").fill("Old phone");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await passkeys.getByText("Old phone").waitFor();

    // An action that needs a confirmation asks for the passkey, and is repeated.
    const refuseOnce = async (path: string, method: string) => {
      let isRefused = false;
      await page.route(path, async (route) => {
        if (isRefused || route.request().method() !== method) return await route.fallback();
        isRefused = true;
        const problem = {
          type: "about:blank",
          title: "Confirmation required",
          detail: "Confirm.",
          status: 403,
        };
        await route.fulfill({
          status: 403,
          contentType: "application/problem+json",
          json: { ...problem, code: "reauthentication_required", request_id: "req_1" },
        });
      });
    };
    const confirmation = page.getByRole("dialog", { name: "Confirm that it is you" });
    await refuseOnce("**/v1/me/tokens", "POST");
    await button("Create a personal token").click();
    await dialog.getByLabel("Name").fill("laptop");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await confirmation.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByText("You did not confirm with a passkey").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("laptop");
    await refuseOnce("**/v1/me/tokens", "POST");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await device.setVerified(false);
    await confirmation.getByRole("button", { name: "Use a passkey" }).click();
    await confirmation.getByText("Confirming failed.").waitFor();
    await device.setVerified(true);
    await confirmation.getByRole("button", { name: "Use a passkey" }).click();
    const secret = dialog.getByLabel("Token", { exact: true });
    await secret.waitFor();
    const personal = createApi(local.url, (await secret.textContent()) ?? "");
    expect((await personal.call("GET", "/v1/projects")).status).toBe(200);
    await dialog.getByRole("button", { name: "Done" }).click();
    await choose("Chrome on Linux", "Remove");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await passkeys.getByRole("rowheader", { name: "Chrome on Linux" }).waitFor({ state: "detached" });
    await choose("Old phone", "Remove");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("Removing the passkey failed.").waitFor();
    await page.keyboard.press("Escape");

    // Name and address.
    await page.getByLabel("Name", { exact: true }).fill("Ada L.");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("link", { name: "Ada L.", exact: true }).waitFor();

    // Signing in with the passkey, and everywhere out.
    await button("Sign out").click();
    await button("Sign in with a passkey").click();
    await page.getByRole("link", { name: "Ada L.", exact: true }).click();
    await button("Sign out everywhere").click();
    await dialog.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect((await personal.call("GET", "/v1/projects")).status).toBe(200);

    // All devices are lost: a recovery code adds a passkey.
    await device.lose();
    device = await addDevice(tab);
    await page.getByText("Use a recovery code").click();
    await page.getByLabel("Recovery code").fill("gantry_recover_nothing");
    await button("Use the code").click();
    await page.getByText("This code is wrong or was used.").waitFor();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await button("Use the code").click();
    await page.getByText("You are signed in with a recovery code").waitFor();
    await page.getByRole("link", { name: "Projects" }).waitFor({ state: "detached" });
    await button("Add a passkey").click();
    await dialog.getByLabel("Name of the passkey").fill("New phone");
    await dialog.getByRole("button", { name: "Add passkey" }).click();
    await button("Sign in with a passkey").click();
    await page.getByText("7 codes left.").waitFor();
    await passkeys.getByText("New phone").waitFor();
    await page.getByRole("table", { name: "Sessions" }).getByText("this browser").waitFor();
  });
});
