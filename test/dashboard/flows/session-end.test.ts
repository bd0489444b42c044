import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { signInLink } from "#contract/dashboard-paths.ts";
import { AccountId } from "#contract/ids.ts";
import { TokenRows } from "#contract/tokens.ts";
import { executeStatements } from "../../../scripts/parts/execute-statements.ts";
import { newSignInCode } from "../../../scripts/parts/sign-in-code.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, api, visit } = useDashboard();
const target = { home: join(home, "installation") };

async function newLinks(): Promise<{ readonly first: string; readonly second: string }> {
  const made = [1, 2].map(() => newSignInCode(AccountId.parse(local.account_id), Date.now()));
  await executeStatements(
    target,
    made.map(({ statement }) => statement),
  );
  const [first = "", second = ""] = made.map(({ code }) => signInLink(local.url, code));
  return { first, second };
}

async function sessions(): Promise<string[]> {
  const { tokens } = TokenRows.parse((await api.call("GET", "/v1/tokens")).json);
  return tokens.filter(({ kind }) => kind === "session").map(({ id }) => id);
}

describe("a session that ends", () => {
  it("says so before, goes on with a new link, and says so where it has ended", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    const links = await newLinks();
    const others = await sessions();
    await page.goto(links.first);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    const notice = page.getByText("You will be signed out");
    expect(await notice.count()).toBe(0);

    const soon = "UPDATE tokens SET expires_at = ? WHERE kind = 'session'";
    await executeStatements(target, [{ sql: soon, parameters: [Date.now() + 600_000] }]);
    const comeBack = async () => {
      await page.reload();
      await page.locator(".projects").waitFor();
      return await notice.count();
    };
    // A Worker that knows the session looks at it again after some seconds.
    await expect.poll(comeBack, { timeout: 40_000, interval: 1_000 }).toBe(1);

    await page.goto(links.second);
    await page.locator(".projects").waitFor();
    expect(await notice.count()).toBe(0);
    // The one from before has been ended with it.
    const left = async () => (await sessions()).filter((id) => !others.includes(id));
    await expect.poll(left, { timeout: 30_000 }).toHaveLength(1);

    await page.getByRole("link", { name: "Servers" }).click();
    for (const id of await left()) await api.call("DELETE", `/v1/tokens/${id}`);
    await page.getByText("The session has ended.").waitFor();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/app/servers");
  });
});
