import { join } from "node:path";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createRepository } from "../support/journey-repository.ts";
import { createHome, removeHome, startSystem, type System } from "../support/journey-system.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { launchBrowser, phone, violations, visit } from "./support/browser.ts";

let home: string;
let system: System;
let browser: Browser;

beforeAll(async () => {
  home = await createHome();
  [system, browser] = await Promise.all([startSystem(home), launchBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await system.interrupt();
  await removeHome(home);
}, 60_000);

/** The link that `npm start` has printed. */
function printedLink(): string {
  const [link] = /http:\/\/\S+\/app\/sign-in#code=\w+/.exec(system.output()) ?? [];
  if (link === undefined) throw new Error(`No link was printed:\n${system.output()}`);
  return link;
}

describe("somebody who opens the link that npm start prints", () => {
  it("sees the live site, deploys, follows it, rolls back and signs out", async () => {
    const repository = await createRepository(join(home, "news"));
    await repository.commit({ "index.html": "one" });
    const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
    const project = await system.api.createProject({
      name: hostile,
      domain: "news.localhost",
      server_id: system.local.server_id,
      repository: repository.path,
      build_command: `printf '\\033[31mred\\033[0m\\n'; echo '${hostile.replaceAll("'", `'"'"'`)}'`,
    });
    await system.api.ended((await system.api.start(project.id)).id);
    await repository.commit({ "index.html": "two" });

    const { page, complaints, close } = await visit(browser, system.local.url);
    await page.goto(printedLink());
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    expect(page.url()).toBe(`${system.local.url}/app/`);
    await page.getByRole("link", { name: "hello-site" }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole("link", { name: hostile }).click();
    await page.getByRole("heading", { name: hostile }).waitFor();
    await page.getByRole("list", { name: "Deployments" }).getByText("v1").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    const dialog = page.getByRole("dialog");
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Deploy" }).click();

    await page.getByRole("heading", { name: "v2" }).waitFor();
    await page.locator(".status.live").waitFor();
    await page.locator(".fg-red", { hasText: "red" }).first().waitFor();
    await page.getByText(hostile).first().waitFor();
    expect(await page.title()).toBe("v2 · Gantry");
    expect(await violations(page)).toEqual([]);
    expect(await siteOf(project.id)).toBe("two");

    await page.getByRole("heading", { name: "v2" }).getByRole("link").click();
    await page.getByRole("button", { name: "Roll back" }).click();
    await dialog.getByText("Instantly").waitFor();
    await dialog.getByRole("definition").filter({ hasText: "v2" }).waitFor();
    await dialog.getByRole("definition").filter({ hasText: "v1" }).waitFor();
    await dialog.getByRole("button", { name: "Roll back to v1" }).click();
    await page.getByRole("heading", { name: "v3" }).waitFor();
    await page.locator(".status.live").waitFor();
    expect(await siteOf(project.id)).toBe("one");

    const token = await page.evaluate<string>("JSON.parse(sessionStorage['gantry.session']).token");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Gantry" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const after = await fetch(`${system.local.url}/v1/account`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(after.status).toBe(401);
    expect(complaints()).toEqual([]);
    await close();
  });

  it("does not get in with it a second time, and learns how to get another", async () => {
    const { page, close } = await visit(browser, system.local.url);
    await page.goto(printedLink());
    await page.getByText("The link does not work any more.").waitFor();
    await page.getByText("npm run sign-in", { exact: true }).waitFor();
    expect(page.url()).toBe(`${system.local.url}/app/sign-in`);
    await close();
  });
});

describe("somebody with an API token", () => {
  const pages = ["/app/", "/app/servers", "/app/charts", "/app/tokens", "/app/projects/new"];

  it.each([...pages, "project", "settings", "deployment"])(
    "sees %s without a fault, in light and dark and on a phone",
    async (name) => {
      const { local } = system;
      const special: Record<string, string> = {
        project: `/app/projects/${local.project_id}`,
        settings: `/app/projects/${local.project_id}/settings`,
        deployment: `/app/deployments/${local.deployment_id}`,
      };
      const { page, complaints, close } = await visit(browser, local.url);
      await signInWithToken(page, local, special[name] ?? name);
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator("main .waiting").count(), { timeout: 30_000 }).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.setViewportSize(phone);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await violations(page)).toEqual([]);
      expect(complaints()).toEqual([]);
      await close();
    },
  );
});

async function siteOf(projectId: string): Promise<string> {
  const { url } = await system.api.getProject(projectId);
  return (await fetch(url ?? "")).text();
}
