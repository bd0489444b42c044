import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { keyboardOf } from "./support/keyboard.ts";
import { type Agent, joinServer } from "./support/operator.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, home, account, repository, visit } = await useDashboard({ account: "empty" });

let agent: Agent | null = null;
afterAll(() => agent?.kill());

describe("an empty account, by keyboard", () => {
  it("is set up from signing in with a token to a live deployment", async () => {
    const { path, commit } = await repository("typed");
    await commit({ "index.html": "typed" });
    const { token } = account("typist");

    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { goTo, press, write, receivesFocus } = keyboardOf(page);
    const step = (name: string) => page.getByRole("heading", { level: 2, name });
    await page.goto(`${local.url}/app/`);
    await goTo(page.getByLabel("API token"));
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await receivesFocus(page.getByRole("heading", { level: 1, name: "Projects" }));

    await write(page.getByLabel("Name"), "typed-1");
    await write(page.getByLabel("IPv4 address"), "192.0.2.72");
    await page.keyboard.press("Enter");
    await receivesFocus(page.getByLabel("Install command"));
    await press(page.getByRole("button", { name: "Copy" }));
    await page.getByText("Copied").waitFor();
    const line = String(await page.evaluate("navigator.clipboard.readText()"));
    agent = await joinServer(line, join(home, "typed-agent"));
    agent.start();
    await page.getByText("typed-1 is connected.").waitFor();
    await receivesFocus(step("Add a server"));

    await write(page.getByLabel("Name"), "typed");
    await write(page.getByLabel("Repository"), path);
    await goTo(page.getByLabel("Server"));
    await press(page.getByRole("button", { name: "Add project" }));
    await page.getByText("typed is ready to deploy.").waitFor();
    await receivesFocus(step("Add a project"));
    await press(page.getByRole("button", { name: "Deploy typed" }));
    await receivesFocus(page.getByRole("heading", { level: 1, name: "v1" }));
    await page.locator("h1 .status.live").waitFor();
    expect(await page.getByRole("link", { name: "typed", exact: true }).count()).toBe(1);
  });
});
