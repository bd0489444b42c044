import { expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, visit } = await useDashboard();

it("Ctrl+K finds a project, a deployment and a command, and opens them by keyboard", async () => {
  const { page } = await visit();
  await openSignedIn(page, local, "/app/servers");
  const box = page.getByRole("combobox", { name: /^Search/ });
  const open = async (query: string) => {
    await page.keyboard.press("Control+k");
    await box.fill(query);
  };
  const { commit } = await api.getDeployment(local.deployment_id);
  await open(String(commit));
  await page.getByRole("option", { name: /^v\d+ of hello-site/ }).waitFor();
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /^v\d+/ }).waitFor();

  await open("nothing that exists");
  await page.getByText("Nothing has “nothing that exists”.").waitFor();
  await page.keyboard.press("Escape");
  await open("hello");
  await page.getByRole("option", { name: "Deploy hello-site" }).waitFor();
  const chosen = page.getByRole("dialog").getByRole("option", { selected: true });
  for (let at = 0; !(await chosen.innerText()).includes("Deploy hello-site"); at += 1) {
    expect(at).toBeLessThan(12);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Deploy", exact: true }).waitFor();
});

it("the colors that a user chooses stay, in all tabs and in the documentation", async () => {
  const { page, context } = await visit();
  await openSignedIn(page, local, "/app/servers");
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await page.getByLabel("Colors").selectOption("Dark colors");
  expect(await ground()).not.toBe(light);
  const other = await context.newPage();
  await other.goto(`${local.url}/docs`);
  expect(await other.evaluate("document.documentElement.style.colorScheme")).toBe("dark");
  await page.reload();
  await page.getByLabel("Colors").waitFor();
  expect(await page.getByLabel("Colors").inputValue()).toBe("dark");
  await page.getByLabel("Colors").selectOption("Colors of the system");
  expect(await ground()).toBe(light);
});
