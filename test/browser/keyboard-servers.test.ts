import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { keyboardOf } from "./support/keyboard.ts";
import { type Agent, joinServer } from "./support/operator.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { home, local, account, repository, visit } = await useDashboard({ account: "empty" });

let agent: Agent | null = null;
afterAll(() => agent?.kill());

/** Sets up a separate account with an enrolled server and a project on it. @returns the account's token */
async function setUp(): Promise<string> {
  const { api, token } = account("hosts");
  const created = await api.call("POST", "/v1/servers", { name: "host-1", ip: "192.0.2.70" });
  const { id, enrollment } = ServerCreated.parse(created.json);
  agent = await joinServer(enrollment.command, join(home, "host-agent"));
  agent.start();
  const { path } = await repository("hosted");
  await api.createProject({ name: "hosted", server_id: id, repository: path });
  return token;
}

describe("servers, by keyboard", () => {
  it("are added, edited, enrolled again and removed, unless they have projects", async () => {
    const token = await setUp();
    // The console logs a 404 response if the page polls a server while it is removed.
    const { page, context } = await visit({ expected: /status of 404/ });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { signIn, press, choose, write, goTo, receivesFocus } = keyboardOf(page);
    const dialog = page.getByRole("dialog");
    const isClosed = () => dialog.waitFor({ state: "detached" });
    const menu = (name: string) => page.getByRole("button", { name: `Actions for ${name}` });
    const details = (name: string) => page.getByRole("rowheader").getByRole("button", { name });

    await signIn({ ...local, token }, "/app/servers");
    await receivesFocus(page.getByRole("heading", { level: 1, name: "Servers" }));

    // The details of the only server are open.
    const uptime = page.getByText(/ uptime since its first connection$/);
    await goTo(uptime);
    await press(details("host-1"));
    await uptime.waitFor({ state: "detached" });
    await receivesFocus(details("host-1"));
    await press(details("host-1"));
    await press(page.getByRole("link", { name: "hosted" }));
    await receivesFocus(page.getByRole("heading", { level: 1, name: "hosted" }));
    await page.goBack();

    const add = page.getByRole("button", { name: "Add a server" });
    await press(add);
    await receivesFocus(dialog.getByLabel("Name"));
    await page.keyboard.type("keys-1");
    await write(dialog.getByLabel("IPv4 address"), "192.0.2");
    await page.keyboard.press("Enter");
    await dialog.locator(".error").waitFor();
    await write(dialog.getByLabel("IPv4 address"), "192.0.2.71");
    await page.keyboard.press("Enter");
    const line = dialog.getByLabel("Install command");
    await receivesFocus(line);
    const first = (await line.textContent()) ?? "";
    await press(dialog.getByRole("button", { name: "Copy" }));
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(first);
    await press(dialog.locator("footer").getByRole("button", { name: "Close" }));
    await isClosed();
    await receivesFocus(add);

    await choose(menu("keys-1"), "Edit");
    await receivesFocus(dialog.getByLabel("Name"));
    await write(dialog.getByLabel("Name"), "keys-2");
    await page.keyboard.press("Enter");
    await isClosed();
    await receivesFocus(menu("keys-2"));

    await choose(menu("keys-2"), "Show install command");
    await receivesFocus(line);
    expect(await line.textContent()).not.toBe(first);
    await page.keyboard.press("Escape");
    await isClosed();
    await receivesFocus(menu("keys-2"));

    await choose(menu("host-1"), "Enroll again");
    await dialog.getByText("The current agent stops when the new one connects.").waitFor();
    await receivesFocus(line);
    await press(dialog.locator("header").getByRole("button", { name: "Close" }));
    await isClosed();
    await receivesFocus(menu("host-1"));

    await choose(menu("host-1"), "Remove");
    await dialog.getByText("The server has projects. Move or delete them first.").waitFor();
    await receivesFocus(dialog.getByRole("button", { name: "Cancel" }));
    await press(dialog.getByRole("button", { name: "Cancel" }));
    await isClosed();
    await receivesFocus(menu("host-1"));

    await choose(menu("keys-2"), "Remove");
    await press(dialog.getByRole("button", { name: "Remove" }));
    await menu("keys-2").waitFor({ state: "detached" });
    await receivesFocus(page.getByRole("heading", { level: 1, name: "Servers" }));
  });
});
