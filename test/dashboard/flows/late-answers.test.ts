import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** What an answer does to a page comes in one of the next turns, if at all. */
const A_FEW_TURNS = "new Promise((resolve) => setTimeout(resolve, 200))";

/** Keeps the answers to some requests back. @returns what lets them go, once one has been asked for */
async function holdBack(page: Page, path: string, method: string): Promise<() => Promise<void>> {
  const asked = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== method) return await route.continue();
    const response = await route.fetch();
    asked.resolve();
    await letGo.promise;
    // The page may not wait for it any more.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return async () => {
    await asked.promise;
    const answered = page.waitForResponse(`**${path}`);
    letGo.resolve();
    await answered;
  };
}

describe("an answer that comes late", () => {
  it("brings nobody back who has gone elsewhere", async () => {
    const { path, commit } = await repository("late");
    await commit({ "index.html": "late" });
    const { id } = await api.createProject({ name: "late", server_id: local.server_id, repository: path });
    const { page } = await visit();
    await signInWithToken(page, local, `/app/projects/${id}`);
    const letGo = await holdBack(page, `/v1/projects/${id}/deployments`, "POST");
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Charts" }).click();
    await page.getByRole("heading", { name: "Charts" }).waitFor();
    await letGo();
    await page.evaluate(A_FEW_TURNS);
    expect(page.url()).toBe(`${local.url}/app/charts`);
  });

  it("to who was signed in before does not sign out who is now", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    const scopes = ["deployments:read", "projects:read", "servers:read", "tokens:read"];
    const made = await api.call("POST", "/v1/tokens", { name: "late", scopes });
    const { token } = TokenWithSecret.parse(made.json);
    await signInWithToken(page, { url: local.url, token }, "/app/tokens");
    const asked = Promise.withResolvers<void>();
    const letGo = Promise.withResolvers<void>();
    await page.route("**/v1/projects", async (route) => {
      if (route.request().headers()["authorization"] !== `Bearer ${token}`) return await route.continue();
      asked.resolve();
      await letGo.promise;
      await route.fulfill({ status: 401, body: "{}" });
    });
    await page.getByRole("link", { name: "Projects" }).click();
    await asked.promise;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API token").fill(local.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    const isLate = page.waitForResponse((response) => response.status() === 401);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    letGo.resolve();
    await isLate;
    await page.evaluate(A_FEW_TURNS);
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
  });
});
