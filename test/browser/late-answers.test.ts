import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { openSignedIn, signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** Long enough for the page to handle a response. */
const SETTLE = "new Promise((resolve) => setTimeout(resolve, 200))";

/** Delays the responses to some requests. @returns a function that waits for a request and releases its response */
async function delayResponses(page: Page, path: string, method: string): Promise<() => Promise<void>> {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== method) return await route.continue();
    const response = await route.fetch();
    requested.resolve();
    await released.promise;
    // The page may have aborted the request.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return async () => {
    await requested.promise;
    const responded = page.waitForResponse(`**${path}`);
    released.resolve();
    await responded;
  };
}

describe("a late response", () => {
  it("does not navigate after the user has opened another page", async () => {
    const { path, commit } = await repository("late");
    await commit({ "index.html": "late" });
    const { id } = await api.createProject({ name: "late", server_id: local.server_id, repository: path });
    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${id}`);
    const release = await delayResponses(page, `/v1/projects/${id}/deployments`, "POST");
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Charts" }).click();
    await page.getByRole("heading", { name: "Charts" }).waitFor();
    await release();
    await page.evaluate(SETTLE);
    expect(page.url()).toBe(`${local.url}/app/charts`);
  });

  it("to an earlier session does not end the current one", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    const scopes = ["deployments:read", "projects:read", "servers:read", "tokens:read"];
    const made = await api.call("POST", "/v1/tokens", { name: "late", scopes });
    const { token } = TokenWithSecret.parse(made.json);
    await signInWithToken(page, { url: local.url, token }, "/app/tokens");
    const requested = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route("**/v1/projects", async (route) => {
      if (route.request().headers()["authorization"] !== `Bearer ${token}`) return await route.continue();
      requested.resolve();
      await released.promise;
      await route.fulfill({ status: 401, body: "{}" });
    });
    await page.getByRole("link", { name: "Projects" }).click();
    await requested.promise;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API token").fill(local.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const responded = page.waitForResponse((response) => response.status() === 401);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    released.resolve();
    await responded;
    await page.evaluate(SETTLE);
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
  });
});
