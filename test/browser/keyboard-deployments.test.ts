import { join } from "node:path";
import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, home, repository, visit } = await useDashboard();

describe("a project's deployments, by keyboard", () => {
  it("are filtered by branch, canceled and deleted in the list", async () => {
    const { path, commit, git } = await repository("rows");
    await commit({ "index.html": "rows" });
    await git("branch", "other");
    const project = await api.createProject({
      name: "rows",
      server_id: local.server_id,
      repository: path,
      build_command: `until [ -e '${join(home, "rows-never")}' ]; do sleep 0.1; done`,
    });
    const running = await api.start(project.id, { branch: "other" });
    await api.start(project.id);

    const { page } = await visit();
    const { signIn, press, choose, write, receivesFocus } = keyboardOf(page);
    await signIn(local, `/app/projects/${project.id}`);
    const heading = page.getByRole("heading", { level: 1, name: "rows" });
    await receivesFocus(heading);
    const list = page.getByRole("list", { name: "Deployments" });
    const version = (name: string) => list.getByRole("link", { name, exact: true });
    const row = (name: string) =>
      list.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });

    const branch = page.getByLabel("Branch");
    await write(branch, "other");
    await version("v2").waitFor({ state: "detached" });
    await receivesFocus(branch);
    expect(new URL(page.url()).search).toBe("?branch=other");
    const menu = list.getByRole("button", { name: "Actions for v1" });
    await choose(menu, "Cancel");
    await row("v1").locator(".status.canceled").waitFor();
    await receivesFocus(menu);
    expect((await api.getDeployment(running.id)).status).toBe("canceled");

    const dialog = page.getByRole("dialog");
    await choose(menu, "Delete");
    await press(dialog.getByRole("button", { name: "Cancel" }));
    await receivesFocus(menu);
    await choose(menu, "Delete");
    await press(dialog.getByRole("button", { name: "Delete" }));
    await page.getByText("No deployments match the filters").waitFor();
    await receivesFocus(heading);

    await write(branch, "main");
    await press(version("v2"));
    const second = page.getByRole("heading", { level: 1, name: "v2" });
    await receivesFocus(second);
    await press(page.getByRole("button", { name: "Cancel" }));
    await page.locator("h1 .status.canceled").waitFor();
    await receivesFocus(second);
  });
});

describe("a log, by keyboard", () => {
  it("is searched, linked by line, opened as plain text and downloaded", async () => {
    const { path, commit } = await repository("pages");
    await commit({ "index.html": "pages" });
    const project = await api.createProject({
      name: "pages",
      server_id: local.server_id,
      repository: path,
      build_command:
        "seq -f 'page %g' 1200; echo 'Error: no such page' >&2; seq -f 'page %g' 1201 1400; exit 1",
    });
    const { id } = await api.start(project.id);
    await api.ended(id);

    const { page, context } = await visit();
    const { signIn, goTo, press, write, receivesFocus } = keyboardOf(page);
    await signIn(local, `/app/deployments/${id}`);
    await receivesFocus(page.getByRole("heading", { level: 1, name: "v1" }));
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const linked = (text: string) => page.locator(".linked").getByText(text, { exact: true }).waitFor();
    await goTo(page.getByLabel("First error"));

    const search = page.getByLabel("Search the log");
    await write(search, "page 130");
    await page.getByText("1 of 11").waitFor();
    await page.keyboard.press("Enter");
    await linked("page 130");
    await page.keyboard.press("Enter");
    await page.getByText("2 of 11").waitFor();
    await linked("page 1300");
    await page.keyboard.press("Shift+Enter");
    await linked("page 130");
    await press(button("Previous"));
    await page.getByText("11 of 11").waitFor();
    await linked("page 1309");
    await press(button("Next"));
    await linked("page 130");
    await receivesFocus(button("Next"));

    await press(button("First error"));
    await linked("Error: no such page");
    await receivesFocus(button("First error"));
    const [, line] = /#L(\d+)$/.exec(page.url()) ?? [];
    const number = (step: number) => page.locator(".linked").getByLabel(`Line ${Number(line) + step}`);
    await goTo(number(0));
    await page.keyboard.press("ArrowDown");
    await receivesFocus(number(1));
    expect(page.url()).toMatch(new RegExp(`#L${Number(line) + 1}$`));
    await page.keyboard.press("ArrowUp");
    await receivesFocus(number(0));

    const [tab] = await Promise.all([context.waitForEvent("page"), press(button("Raw"))]);
    await tab.getByText("Error: no such page").waitFor();
    await tab.close();
    const [download] = await Promise.all([page.waitForEvent("download"), press(button("Download"))]);
    const file = join(home, "by-keys.log");
    await download.saveAs(file);
    expect(await readFile(file, "utf8")).toContain("Error: no such page");
    await receivesFocus(button("Download"));

    await press(button("Deploy main again"));
    await receivesFocus(page.getByRole("heading", { level: 1, name: "v2" }));
  });
});
