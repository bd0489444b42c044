import { join } from "node:path";

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Account } from "#contract/endpoints/accounts/schemas.ts";
import { signInLink } from "#contract/public-paths.ts";
import { AccountId } from "#contract/ids.ts";
import { newSignInCode } from "../../../scripts/shared/sign-in-code.ts";
import { createApi } from "../../support/journey-api.ts";
import { writeDatabase } from "../../support/write-database.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, visit } = await useDashboard({ installation: "own" });
const served = join(home, "installation");

function newLinks(): { readonly first: string; readonly second: string } {
  const made = [1, 2].map(() => newSignInCode({ id: AccountId.parse(local.account_id) }, Date.now()));
  writeDatabase(
    served,
    made.map(({ statement }) => statement),
  );
  const [first = "", second = ""] = made.map(({ code }) => signInLink(local.url, code));
  return { first, second };
}

/** The session of a tab. */
async function sessionOf(
  page: Page,
): Promise<{ readonly id: string; readonly isGood: () => Promise<boolean> }> {
  const kept = await page.evaluate<string>("sessionStorage.getItem('gantry.session')");
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(kept));
  const ask = () => createApi(local.url, token).call("GET", "/v1/account");
  const { id } = Account.parse((await ask()).json).token;
  return { id, isGood: async () => (await ask()).status === 200 };
}

describe("a session that expires", () => {
  it("warns before, continues with a new link, and keeps unsaved input after its end", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    const links = newLinks();
    await page.goto(links.first);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    const notice = page.getByText("You will be signed out");
    expect(await notice.count()).toBe(0);

    const first = await sessionOf(page);
    const sql = "UPDATE tokens SET expires_at = ? WHERE id = ?";
    writeDatabase(served, [{ sql, parameters: [Date.now() + 600_000, first.id] }]);
    const comeBack = async () => {
      await page.reload();
      await page.locator(".projects").waitFor();
      return await notice.count();
    };
    // The Worker caches the session for some seconds.
    await expect.poll(comeBack, { interval: 1_000 }).toBe(1);

    await page.goto(links.second);
    await page.locator(".projects").waitFor();
    expect(await notice.count()).toBe(0);
    const second = await sessionOf(page);
    // The new session ends the previous one.
    await expect.poll(first.isGood).toBe(false);
    expect(await second.isGood()).toBe(true);

    const settings = `/app/projects/${local.project_id}/settings`;
    await page.goto(local.url + settings);
    const field = page.getByLabel("Releases to keep");
    const saved = await field.inputValue();
    await field.fill("9");
    await api.call("DELETE", `/v1/tokens/${second.id}`);
    await page.getByText("Your session has ended.").waitFor();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(settings);

    // Signing in by a link loads the page again.
    await signInWithToken(page, local, settings);
    await page.getByText("Unsaved changes.").waitFor();
    expect(await field.inputValue()).toBe("9");
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await field.inputValue()).toBe(saved);
    await field.fill("8");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInWithToken(page, local, settings);
    await field.waitFor();
    expect(await field.inputValue()).toBe(saved);
  });
});
