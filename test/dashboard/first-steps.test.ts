import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createRepository } from "../support/journey-repository.ts";
import { createHome, removeHome, startSystem, type System } from "../support/journey-system.ts";
import { launchBrowser, violations, visit } from "./support/browser.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

let home: string;
let system: System;
let browser: Browser;
let agent: ChildProcess | null = null;

beforeAll(async () => {
  home = await createHome();
  [system, browser] = await Promise.all([startSystem(home), launchBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser.close();
  if (agent !== null && agent.exitCode === null) {
    agent.kill("SIGTERM");
    await once(agent, "exit");
  }
  await system.interrupt();
  await removeHome(home);
}, 60_000);

/** What the commands of an operator print. */
async function script(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(root, "scripts", name), ...args], { cwd: root });
  return stdout.trim();
}

/** Joins as the line says that the page shows: by its token, with an agent out of this repository. */
async function joinServer(line: string): Promise<void> {
  const [, url = ""] = /curl -fsSL (\S+)\/install\.sh/.exec(line) ?? [];
  const [, token = ""] = /GANTRY_TOKEN=(\w+)/.exec(line) ?? [];
  const main = join(root, "src/agent/main.ts");
  const agentHome = join(home, "second-agent");
  await run(process.execPath, [main, "enroll", "--url", url, "--home", agentHome], {
    env: { ...process.env, GANTRY_TOKEN: token },
  });
  agent = spawn(process.execPath, [main, "run", "--home", agentHome], { stdio: "ignore" });
}

describe("somebody with an empty account", () => {
  it("is led from nothing to a deployment that is live, and sees nothing of another account", async () => {
    const repository = await createRepository(join(home, "first"));
    await repository.commit({ "index.html": "first" });
    await script("first-token.ts", "--account", "second", "--local", home);
    const link = await script("sign-in.ts", "--account", "second", "--local", home);

    const { page, complaints, close } = await visit(browser, system.local.url);
    await page.goto(link);
    await page.getByRole("heading", { name: "Add a server" }).waitFor();
    expect(await page.getByText("hello-site").count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    await page.getByRole("button", { name: "Add the server" }).click();
    await page.locator(".error").first().waitFor();
    await page.getByLabel("Name").fill("web-1");
    await page.getByLabel("IPv4 address").fill("192.0.2.1");
    await page.getByRole("button", { name: "Add the server" }).click();
    const line = page.getByLabel("The line to paste");
    await line.waitFor();
    await page.getByText("Waiting for it…").waitFor();
    expect(await violations(page)).toEqual([]);
    await joinServer((await line.textContent()) ?? "");

    await page.getByText("web-1 is connected.").waitFor();
    await page.getByLabel("Name").fill("first");
    await page.getByLabel("Repository").fill(repository.path);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add the project" }).click();
    await page.getByRole("button", { name: "Deploy first" }).click();
    await page.locator("h1 .status.live").waitFor();

    await page.goto(`${system.local.url}/app/deployments/${system.local.deployment_id}`);
    await page.getByText("Reading the deployment failed.").waitFor();
    await page.goto(`${system.local.url}/app/`);
    await page.getByRole("link", { name: "first" }).waitFor();
    expect(await page.getByText("hello-site").count()).toBe(0);
    // That the other account's deployment is not found stands in the console, as any 404 does.
    expect(complaints().filter((text) => !text.includes("404"))).toEqual([]);
    await close();
  });
});
