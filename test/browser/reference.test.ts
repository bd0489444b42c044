import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { narrowest, phone, violations, wideScreen } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const run = promisify(execFile);
const { local, api, visit } = await useDashboard();

/** The deployments of the account, newest first. */
const Rows = z.object({ deployments: z.array(z.object({ id: z.string() })) });
async function deploymentIds(): Promise<string[]> {
  const { json } = await api.call("GET", "/v1/deployments");
  return Rows.parse(json).deployments.map(({ id }) => id);
}

/** The form of an operation, opened. */
async function openForm(page: Page, operation: string) {
  const details = page.locator(`#${operation} details.try`);
  await details.getByText("Try it").click();
  const form = details.getByRole("form");
  await form.waitFor();
  return form;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-samples-"));
  for (const _ of [1, 2]) await api.ended((await api.start(local.project_id)).id);
});
afterAll(() => rm(folder, { recursive: true }));

describe("the search", () => {
  it("finds operations, guides and problems with the keyboard alone", async () => {
    const { page } = await visit();
    await page.goto(`${local.url}/docs`);
    const field = page.getByRole("combobox", { name: "Search the documentation" });
    const found = page.getByRole("option");
    const search = async (query: string) => {
      await field.waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(query);
      await found.first().waitFor();
    };
    await search("roll back to an earlier");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${local.url}/docs/api/deployments#rollBack`);
    await search("procfile");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${local.url}/docs/processes#procfile`);
    await search("queue_full");
    await found.first().click();
    await page.waitForURL(`${local.url}/docs/problems/queue_full`);
    await search("queue_full");
    await page.keyboard.type("xyz");
    await page.getByText("Nothing found").waitFor();
    await page.keyboard.press("Escape");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
  });
});

describe("a sample", () => {
  it("has the installation's address, can be copied, and keeps the language on the next page", async () => {
    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${local.url}/docs/api/deployments`);
    const operation = page.locator("#startDeployment");
    const curl = operation.locator('[data-language="curl"]');
    expect(await curl.locator("code").textContent()).toContain(
      `curl -X POST "${local.url}/v1/projects/proj_`,
    );
    await operation.getByRole("radio", { name: "TypeScript" }).check();
    expect(await curl.isVisible()).toBe(false);
    await page.goto(`${local.url}/docs/api/projects`);
    const typeScript = page.locator('#createProject [data-language="typescript"]');
    await expect.poll(() => typeScript.isVisible()).toBe(true);
    await typeScript.hover();
    await typeScript.getByRole("button", { name: "Copy" }).click();
    await typeScript.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toBe(await typeScript.locator("code").textContent());
    expect(copied).toContain(`fetch("${local.url}/v1/projects"`);
  });

  it("of a guide names this installation, unless the guide makes one at a domain", async () => {
    const { page } = await visit();
    const text = async (path: string) => {
      await page.goto(`${local.url}${path}`);
      // The script that fills the address in adds the search after it.
      await page.getByRole("combobox", { name: "Search the documentation" }).waitFor();
      return (await page.locator("main").textContent()) ?? "";
    };
    for (const path of ["/docs/guides/node", "/docs/ci", "/docs/command", "/docs/servers"]) {
      const shown = await text(path);
      expect(shown, path).toContain(local.url);
      expect(shown, path).not.toContain("gantry.example.com");
    }
    for (const path of ["/docs/guides/first-hour", "/docs/release"]) {
      const shown = await text(path);
      expect(shown, path).toContain("https://gantry.example.com");
      expect(shown, path).not.toContain(local.url);
    }
  });

  it("reads a whole list, in curl and in TypeScript", async () => {
    const { page } = await visit();
    await page.goto(`${local.url}/docs/api#lists`);
    const wanted = await deploymentIds();
    expect(wanted.length).toBeGreaterThan(2);
    const sample = async (language: string) => {
      const code = page.locator(`#lists [data-language="${language}"] code`);
      await expect.poll(() => code.textContent()).toContain(local.url);
      return ((await code.textContent()) ?? "").replace("limit=100", "limit=1");
    };
    const options = { cwd: folder, env: { ...process.env, TOKEN: local.token } };
    const idsIn = (output: string) => output.match(/dpl_\w+/g);
    const listed = await run("sh", ["-c", await sample("curl")], options);
    const pages = listed.stdout
      .trim()
      .split("\n")
      .map((line) => Rows.parse(JSON.parse(line)));
    expect(pages.flatMap(({ deployments }) => deployments.map(({ id }) => id))).toEqual(wanted);
    await writeFile(join(folder, "sample.mts"), await sample("typescript"));
    const printed = await run(process.execPath, ["--experimental-strip-types", "sample.mts"], options);
    expect(idsIn(printed.stdout)).toEqual(wanted);
  });
});

describe("try it", () => {
  it("sends a request with the token of the dashboard's session", async () => {
    const { page } = await visit();
    await openSignedIn(page, local, "/app/");
    await page.goto(`${local.url}/docs/api/deployments`);
    const form = await openForm(page, "listDeployments");
    await form.getByRole("textbox", { name: "limit" }).fill("2");
    await form.getByRole("button", { name: "Send request" }).click();
    await form.getByText("200 OK").waitFor();
    const body = form.getByLabel("Body of the response");
    const [newest = "", next = "", third = ""] = await deploymentIds();
    await expect.poll(() => body.textContent()).toContain(newest);
    expect(await body.textContent()).toContain(next);
    expect(await body.textContent()).not.toContain(third);
    await form.getByText(/^\d+ headers$/).click();
    await form.getByText(/x-request-id: req_/).waitFor();
  });

  it("asks before a request that changes something, with a token that only the page has", async () => {
    const { page } = await visit({ expected: /status of 4\d\d/ });
    await page.goto(`${local.url}/docs/api/freezes`);
    const form = await openForm(page, "createFreeze");
    const send = form.getByRole("button", { name: "Send request" });
    const ask = form.getByRole("alertdialog");
    await send.click();
    await form.getByText("Paste a token, or sign in to the dashboard.").waitFor();
    await form.getByLabel("Token").fill(local.token);
    await form.getByRole("textbox", { name: "Body" }).fill("{");
    await send.click();
    await form.getByText("The body is not valid JSON.").waitFor();

    const freeze = { name: "from the reference", project_id: local.project_id };
    await form.getByRole("textbox", { name: "Body" }).fill(JSON.stringify(freeze));
    await send.click();
    await ask.getByRole("button", { name: "Cancel" }).click();
    await send.click();
    await ask.getByText("POST /v1/freezes").waitFor();
    await ask.getByRole("button", { name: "Send POST" }).click();
    await form.getByText("422 Unprocessable Entity", { exact: true }).waitFor();
    await expect
      .poll(() => form.getByLabel("Body of the response").textContent())
      .toContain("invalid_request");

    const times = { type: "once", from: "2100-01-01T00:00:00.000Z", to: "2100-01-02T00:00:00.000Z" };
    await form.getByRole("textbox", { name: "Body" }).fill(JSON.stringify({ ...freeze, times }));
    await send.click();
    // Nothing is sent before the answer to the question.
    expect((await api.call("GET", "/v1/freezes")).json).toMatchObject({ freezes: [] });
    await ask.getByRole("button", { name: "Send POST" }).click();
    await form.getByText("201 Created", { exact: true }).waitFor();
    expect((await api.call("GET", "/v1/freezes")).json).toMatchObject({
      freezes: [{ name: "from the reference" }],
    });
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
      local.token,
    );
  });

  it("uses a pasted token in the other forms of the page too, and sends nothing that is malformed", async () => {
    const { page } = await visit({ expected: /status of 401/ });
    await openSignedIn(page, local, "/app/");
    await page.goto(`${local.url}/docs/api/freezes`);
    const list = await openForm(page, "listFreezes");
    const remove = await openForm(page, "deleteFreeze");
    await remove.getByRole("textbox", { name: "freeze_id" }).fill("..");
    await remove.getByRole("button", { name: "Send request" }).click();
    await remove.getByText("freeze_id must not be ..").waitFor();

    await remove.getByLabel("Token").fill("gantry_…");
    await list.getByRole("button", { name: "Send request" }).click();
    await list.getByText("The token has characters that no token has.").waitFor();
    await remove.getByLabel("Token").fill("gantry_other");
    await list.getByRole("button", { name: "Send request" }).click();
    await list.getByText("401 Unauthorized").waitFor();
  });

  it("works in a browser that allows no storage", async () => {
    const { page } = await visit();
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })",
    );
    await page.goto(`${local.url}/docs/api/account`);
    const form = await openForm(page, "getHealth");
    await form.getByRole("button", { name: "Send request" }).click();
    await form.getByText("200 OK").waitFor();
  });

  it("needs no token for a public operation", async () => {
    const { page } = await visit();
    await page.goto(`${local.url}/docs/api/account`);
    const form = await openForm(page, "getHealth");
    await form.getByRole("button", { name: "Send request" }).click();
    await form.getByText("200 OK").waitFor();
  });
});

describe("every kind of page", () => {
  it("passes axe in light and dark, and fits a phone", async () => {
    const { page } = await visit();
    const found: string[] = [];
    const paths = ["/docs", "/docs/api", "/docs/api/freezes", "/docs/command", "/docs/guides/node"];
    for (const path of [...paths, "/docs/problems", "/docs/problems/not_found"]) {
      await page.setViewportSize(wideScreen);
      await page.goto(local.url + path);
      await page.getByRole("combobox").waitFor();
      if (path === "/docs/api/freezes") await openForm(page, "createFreeze");
      for (const scheme of ["light", "dark"] as const) found.push(...(await violations(page, scheme)));
      for (const screen of [phone, narrowest]) {
        await page.setViewportSize(screen);
        if ((await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true)
          found.push(`${path} is wider than ${screen.width} pixels`);
      }
    }
    expect(found).toEqual([]);
  });
});
