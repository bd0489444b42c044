import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";

import type { ProjectId } from "#contract/ids.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { Variables } from "#contract/endpoints/variables/schemas.ts";

import { violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const dashboard = await useDashboard();
const { local, api, repository, visit } = dashboard;

const SECRET = "s3cret: never in clear";

let seen = "";
beforeAll(() => {
  seen = join(dashboard.home, "accounts", local.account_id, "seen");
});

/** A project whose build and activate command write down the variables that they see. */
async function createProject(name: string): Promise<ProjectId> {
  const { path, commit } = await repository(`variables-${name}`);
  await commit({ "index.html": name });
  const print = (stage: string) => `printf '%s|%s' "$SHOP_URL" "$SHOP_PASSWORD" > '${seen}-${name}-${stage}'`;
  const project = await api.createProject({
    name,
    server_id: local.server_id,
    repository: path,
    build_command: print("build"),
    activate_command: print("activate"),
  });
  return project.id;
}

const readSeen = (name: string, stage: string) => readFile(`${seen}-${name}-${stage}`, "utf8");

const pathOf = (id: ProjectId) => `/app/projects/${id}/variables`;
const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

async function readVariables(id: ProjectId): Promise<Variables> {
  return Variables.parse((await api.call("GET", `/v1/projects/${id}/variables`)).json);
}

/** Adds a variable to the unsaved changes. */
async function add(page: Page, name: string, value: string, kind?: "plain" | "secret"): Promise<void> {
  await page.getByRole("button", { name: "Add a variable" }).click();
  const group = page.getByRole("group", { name: "New variable" }).last();
  await group.getByLabel("Name").fill(name);
  await group.getByLabel("Value").fill(value);
  if (kind !== undefined) await group.getByLabel("Kind").selectOption(kind);
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

describe("variables", () => {
  it("are saved as one revision, with secrets sealed in the browser, and reach the commands", async () => {
    const id = await createProject("sealed");
    const { page } = await visit();
    const bodies: string[] = [];
    page.on("request", (request) => bodies.push(`${request.url()} ${request.postData() ?? ""}`));
    await openSignedIn(page, local, pathOf(id));
    await page.getByRole("heading", { name: "No variables yet" }).waitFor();
    const { seal_key: key } = await readVariables(id);
    await page.getByText(key?.fingerprint ?? "no seal key").waitFor();
    await add(page, "PORT", "3000");
    await page.getByText("PORT has no effect on instances with a port: Gantry gives each one").waitFor();
    await page.getByRole("button", { name: "Discard PORT" }).click();
    await add(page, "SHOP_URL", "https://one.example.com");
    await add(page, "SHOP_PASSWORD", SECRET);
    expect(await page.evaluate("JSON.stringify([sessionStorage, localStorage])")).not.toContain("s3cret");
    await save(page);
    await page.getByText("Saved as revision 1.").waitFor();

    await row(page, "SHOP_URL").getByText("https://one.example.com").waitFor();
    await row(page, "SHOP_PASSWORD").getByText("sealed").first().waitFor();
    expect(await page.content()).not.toContain("s3cret");
    const changes = bodies.filter((body) => body.includes('"set"'));
    expect(changes).toHaveLength(1);
    expect(changes[0]).toContain("https://one.example.com");
    expect(bodies.join()).not.toContain("s3cret");
    expect(JSON.stringify(await readVariables(id))).not.toContain("s3cret");

    await page.getByRole("link", { name: "Servers" }).click();
    const fingerprint = page.locator("dt", { hasText: "Seal key" }).locator("+ dd");
    await fingerprint.getByText(key?.fingerprint ?? "no seal key").waitFor();

    const { id: deployment } = await api.start(id);
    expect(await api.ended(deployment)).toMatchObject({ status: "live", variables_revision: 1 });
    expect(await readSeen("sealed", "build")).toBe("https://one.example.com|");
    expect(await readSeen("sealed", "activate")).toBe(`https://one.example.com|${SECRET}`);
    await page.goto(`${local.url}/app/deployments/${deployment}`);
    await page.getByRole("link", { name: "Revision 1" }).click();
    await page.getByRole("heading", { name: "Revision 1" }).waitFor();

    // The build flag, a removal and another value are one revision.
    await page.getByRole("button", { name: "Edit SHOP_PASSWORD" }).click();
    const edit = page.getByRole("group", { name: "Edit SHOP_PASSWORD" });
    expect(await edit.getByLabel("Value").inputValue()).toBe("");
    await edit.getByLabel("Value").fill("another");
    await edit.getByLabel("Builds get this secret").check();
    await page.getByRole("button", { name: "Remove SHOP_URL" }).click();
    await save(page);
    await page.getByText("Saved as revision 2.").waitFor();
    expect(
      await row(page, "SHOP_URL")
        .filter({ has: page.locator(".variable") })
        .count(),
    ).toBe(0);
    const history = page.getByRole("region", { name: "History" });
    await expect
      .poll(() => history.getByRole("listitem").allTextContents())
      .toEqual([
        expect.stringMatching(/^Revision 2 .* by flow · set SHOP_PASSWORD removed SHOP_URL$/),
        expect.stringMatching(/^Revision 1 .* by flow · set SHOP_PASSWORD, SHOP_URL $/),
      ]);
    await api.ended((await api.start(id)).id);
    expect(await readSeen("sealed", "build")).toBe("|another");

    // A rollback with the variables that were deployed.
    await page.goto(`${local.url}/app/projects/${id}`);
    await page.getByRole("button", { name: "Roll back" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Variables").selectOption("deployed");
    await dialog.getByRole("button", { name: "Roll back to v1" }).click();
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.locator("h1 .status.live").waitFor();
    await page.getByRole("link", { name: "Revision 1" }).waitFor();
    expect(await readSeen("sealed", "activate")).toBe(`https://one.example.com|${SECRET}`);
  });

  it("that another tab has changed are shown, and nothing that was typed is lost", async () => {
    const id = await createProject("conflict");
    const tabs = [await visit({ expected: /409/ }), await visit({ expected: /409/ })] as const;
    const [first, second] = [tabs[0].page, tabs[1].page];
    for (const page of [first, second]) {
      await openSignedIn(page, local, pathOf(id));
      await page.getByRole("heading", { name: "No variables yet" }).waitFor();
    }
    await add(second, "SHARED", "second");
    await add(second, "OWN_SECRET", SECRET, "secret");
    await add(first, "SHARED", "first");
    await add(first, "OTHER", "first");
    await save(first);
    await first.getByText("Saved as revision 1.").waitFor();

    // Not a click: the page may have read the newer revision already, and then shows the same without saving.
    await second.getByLabel("Name", { exact: true }).first().press("Enter");
    const box = second.getByRole("alert").filter({ hasText: "changed in the meantime" });
    await box.getByText("set OTHER, SHARED").waitFor();
    await box.getByText("You have also changed SHARED.").waitFor();
    expect(await violations(second)).toEqual([]);
    await row(second, "OTHER").first().waitFor();
    expect(await readVariables(id)).toMatchObject({ revision: 1 });
    await box.getByRole("button", { name: "Keep my changes" }).click();
    await second.getByText("Saving replaces it.").waitFor();
    await save(second);
    await second.getByText("Saved as revision 2.").waitFor();
    expect((await readVariables(id)).variables).toMatchObject([
      { name: "OTHER", value: "first", revision: 1 },
      { name: "OWN_SECRET", secret: true, revision: 2 },
      { name: "SHARED", value: "second", revision: 2 },
    ]);
    const { id: deployment } = await api.start(id);
    expect(await api.ended(deployment)).toMatchObject({ status: "live" });
  });

  it("are imported from a .env text that is pasted or dropped, after every wrong line is named", async () => {
    const id = await createProject("imported");
    const { page } = await visit();
    await openSignedIn(page, local, pathOf(id));
    await page.getByRole("button", { name: "Import .env" }).click();
    const dialog = page.getByRole("dialog");
    const text = dialog.getByLabel("Text of the .env file");
    await text.fill("GOOD=1\n1BAD=hidden\nGANTRY_X=hidden\nno assignment");
    await expect.poll(() => dialog.getByRole("alert").locator("strong").allTextContents()).toHaveLength(3);
    expect(await dialog.getByRole("alert").textContent()).not.toContain("hidden");
    const found = [
      ...(await violations(page, "light", "dialog")),
      ...(await violations(page, "dark", "dialog")),
    ];
    expect(found).toEqual([]);
    expect(await dialog.getByRole("button", { name: /^Add/ }).isEnabled()).toBe(false);

    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(`# shop\r\nexport SHOP_URL="a b"\r\nAPI_KEY='${SECRET}'\r\n`)}], ".env")); return data; })()`,
    );
    await text.dispatchEvent("drop", { dataTransfer: dropped });
    await dialog.getByRole("button", { name: "Add 2 variables" }).click();
    await dialog.waitFor({ state: "detached" });
    const kinds = page.getByLabel("Kind");
    expect([await kinds.nth(0).inputValue(), await kinds.nth(1).inputValue()]).toEqual(["plain", "secret"]);
    await save(page);
    await page.getByText("Saved as revision 1.").waitFor();
    expect((await readVariables(id)).variables).toMatchObject([
      { name: "API_KEY", secret: true },
      { name: "SHOP_URL", value: "a b" },
    ]);
  });

  it("with wrong names are not sent, and unsaved ones survive a reload except for secrets", async () => {
    const id = await createProject("wrong");
    const { page } = await visit();
    await openSignedIn(page, local, pathOf(id));
    await add(page, "1st", "x");
    await page.getByText("Must be letters, digits and _").waitFor();
    await add(page, "GANTRY_X", "x");
    await page.getByText("Must not begin with GANTRY").waitFor();
    await save(page);
    expect((await readVariables(id)).revision).toBe(0);
    await page.getByRole("button", { name: "Discard 1st" }).click();
    await page.getByRole("group").getByLabel("Name").fill("SHOP_SECRET");
    await page.getByRole("group").getByLabel("Kind").selectOption("plain");
    await add(page, "SHOP_TOKEN", SECRET);
    await page.reload();
    expect(await page.getByLabel("Value").nth(0).inputValue()).toBe("x");
    expect(await page.getByLabel("Value").nth(1).inputValue()).toBe("");
    await save(page);
    await page.getByText("Enter the secret.").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await page.getByRole("group").count()).toBe(0);
    expect((await readVariables(id)).revision).toBe(0);
  });

  it("that the server cannot open come first, and block deployments until they are entered again", async () => {
    const id = await createProject("moved");
    const set = [
      { name: "APP_URL", value: "x" },
      { name: "SHOP_PASSWORD", value: SECRET, secret: true },
    ];
    await api.call("PATCH", `/v1/projects/${id}/variables`, { set });
    const created = await api.call("POST", "/v1/servers", { name: "new", ip: "203.0.113.9" });
    const server = ServerCreated.parse(created.json);
    await api.call("PATCH", `/v1/projects/${id}`, { server_id: server.id });

    const { page } = await visit({ expected: /409/ });
    await openSignedIn(page, local, pathOf(id));
    const alert = page.getByRole("alert").filter({ hasText: "The server cannot open a secret." });
    await alert.getByText("SHOP_PASSWORD").waitFor();
    await page.getByText("none yet.").waitFor();
    expect(await page.locator(".variable h3").allTextContents()).toEqual(["SHOP_PASSWORD", "APP_URL"]);
    await row(page, "SHOP_PASSWORD").getByText("Enter it again").waitFor();
    expect([...(await violations(page, "light")), ...(await violations(page, "dark"))]).toEqual([]);
    await page.goto(`${local.url}/app/projects/${id}`);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("cannot open these secrets").waitFor();

    // The project moves back to the server whose key opens it.
    await api.call("PATCH", `/v1/projects/${id}`, { server_id: local.server_id });
    await page.goto(local.url + pathOf(id));
    await row(page, "SHOP_PASSWORD").getByText("sealed").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("name the command in a browser that cannot seal secrets, and can be plain there", async () => {
    const id = await createProject("old");
    const { page } = await visit();
    await page.addInitScript(
      "SubtleCrypto.prototype.generateKey = () => Promise.reject(new DOMException('no', 'NotSupportedError'))",
    );
    await openSignedIn(page, local, pathOf(id));
    const alert = page.getByRole("alert").filter({ hasText: "This browser cannot seal secrets." });
    await alert.getByText("gantry variables set --project=old --secret NAME").waitFor();
    await add(page, "SHOP_URL", "x");
    await add(page, "SHOP_PASSWORD", SECRET);
    await save(page);
    await page.getByText("Secrets cannot be sealed here.").waitFor();
    await page.getByRole("button", { name: "Discard SHOP_PASSWORD" }).click();
    await save(page);
    await page.getByText("Saved as revision 1.").waitFor();
    expect((await readVariables(id)).variables).toMatchObject([{ name: "SHOP_URL", value: "x" }]);
  });

  it("are added, edited and removed by keyboard", async () => {
    const id = await createProject("keys");
    const { page } = await visit();
    const { signIn, press, write, receivesFocus, goTo, tabThrough } = keyboardOf(page);
    await signIn(local, pathOf(id));
    await receivesFocus(page.getByRole("heading", { level: 1 }));
    const added = page.getByRole("group", { name: "New variable" });
    await press(page.getByRole("button", { name: "Add a variable" }));
    await receivesFocus(added.getByLabel("Name"));
    await page.keyboard.type("SHOP_URL");
    await write(added.getByLabel("Value"), "one");
    await goTo(added.getByLabel("Kind"));
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByText("Saved as revision 1.").waitFor();
    await press(page.getByRole("button", { name: "Edit SHOP_URL" }));
    const edited = page.getByRole("group", { name: "Edit SHOP_URL" });
    await receivesFocus(edited.getByLabel("Value"));
    await press(edited.getByRole("button", { name: "Cancel editing SHOP_URL" }));
    await press(page.getByRole("button", { name: "Remove SHOP_URL" }));
    await receivesFocus(page.getByRole("button", { name: "Keep SHOP_URL" }));
    expect(await tabThrough()).toContain('button "Discard changes"');
    await press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByText("Saved as revision 2.").waitFor();
    const importing = page.getByRole("button", { name: "Import .env" });
    await press(importing);
    await receivesFocus(page.getByRole("dialog").getByLabel("Text of the .env file"));
    await page.keyboard.press("Escape");
    await receivesFocus(importing);
  });
});
