import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { createServerWithKey } from "../../cli/support/server-with-key.ts";
import { instanceReport, processReport } from "../../support/process-reports.ts";
import { dialogs, openDialog, pageViews, settled } from "../support/views.ts";
import { phone, violations, wideScreen } from "./support/browser.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });
const server = await createServerWithKey(local, "shop");
const { agent, api, projectId } = server;
afterAll(() => server.stop());

/** The sum of the shifts of a page while it loads that a reader does not notice. Source: https://web.dev/articles/cls */
const MOST_SHIFT = 0.1;
/** The cron jobs have another height on a phone when they have loaded. */
const MOST_SHIFT_OF: ReadonlyMap<string, number> = new Map([["commands", 0.15]]);

/** Adds up what moves on the page without the reader's doing. */
const RECORD_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 120)) });
  }).observe({ type: "layout-shift", buffered: true });`;

let deploymentId = "";
beforeAll(async () => {
  await api.call("PATCH", `/v1/projects/${projectId}`, {
    domain: "shop.example.com",
    processes: { web: { command: "node web.js" }, worker: { command: "node worker.js" } },
  });
  await api.call("PATCH", `/v1/projects/${projectId}/variables`, {
    set: [{ name: "PUBLIC_URL", value: "https://shop.example.com" }],
  });
  const orders = () => agent.received.flatMap((one) => (one.type === "run" ? [one.order] : []));
  for (const count of [1, 2]) {
    await api.start(projectId);
    const order = await vi.waitFor(
      () => orders()[count - 1] ?? Promise.reject(new Error(`no order ${count}`)),
      {
        timeout: 60_000,
      },
    );
    await agent.completes(order);
  }
  agent.processes = [
    processReport("web", { wanted: 2, instances: [instanceReport("web-2-0"), instanceReport("web-2-1")] }),
    processReport("worker", { instances: [instanceReport("worker-2-0")] }),
  ];
  const [newest] = await api.listDeployments(projectId);
  deploymentId = newest?.id ?? "";
  const times = { type: "once", from: "2100-01-01T00:00:00.000Z", to: "2100-01-02T00:00:00.000Z" };
  const created = [
    await api.call("POST", "/v1/webhooks", { kind: "standard", url: "https://hooks.example.com/gantry" }),
    await api.call("POST", "/v1/freezes", { name: "Holidays", times }),
  ];
  expect(created.map(({ status }) => status)).toEqual([201, 201]);
});

/** What is wrong with what a page shows now. */
async function faultsOf(page: Page, view: string): Promise<string[]> {
  const [scroll = 0, inner = 0] = await page.evaluate<number[]>(
    "[document.documentElement.scrollWidth, innerWidth]",
  );
  // Text that is cut off has no ellipsis and no way to scroll to it.
  const cut = await page.evaluate<string[]>(`
    [...document.querySelectorAll("dialog[open], dialog[open] *, main, main *")]
      .filter((element) => {
        const { overflowX, textOverflow } = getComputedStyle(element);
        return overflowX === "hidden" && textOverflow !== "ellipsis" && element.clientWidth > 1
          && element.scrollWidth > element.clientWidth + 1;
      })
      .map((element) => element.outerHTML.slice(0, 120))`);
  return [
    ...(scroll > inner ? [`${view}: ${scroll} pixels wide in a window of ${inner}`] : []),
    ...cut.map((element) => `${view}: cuts off the content of ${element}`),
  ];
}

async function shiftsOf(page: Page, view: string, most: number): Promise<string[]> {
  const shifts = await page.evaluate<{ value: number; moved: string[] }[]>("shifts");
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  return sum <= most ? [] : [`${view}: moves by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`];
}

const screens = { wide: wideScreen, phone } as const;
const names = pageViews({ project: "", deployment: "" }).map(({ page }) => page);

describe("a page and its dialogs", () => {
  it.each(names)("fit the window, do not move, and pass axe: %s", async (name) => {
    const views = pageViews({ project: projectId, deployment: deploymentId });
    const { path, dialogs: opened } = views.find((one) => one.page === name) ?? { path: "", dialogs: [] };
    const { page } = await visit();
    await page.addInitScript(RECORD_SHIFTS);
    await signInWithToken(page, local, path);
    const found: string[] = [];
    for (const [screen, size] of Object.entries(screens)) {
      await page.setViewportSize(size);
      await page.goto(local.url + path);
      await settled(page);
      found.push(
        ...(await faultsOf(page, `${path} on ${screen}`)),
        ...(await shiftsOf(page, `${path} on ${screen}`, MOST_SHIFT_OF.get(name) ?? MOST_SHIFT)),
      );
      for (const dialog of opened) {
        const view = `${dialog.name} on ${screen}`;
        if (!(await openDialog(page, dialog))) {
          found.push(`${view}: nothing opens it`);
          continue;
        }
        found.push(...(await faultsOf(page, view)));
        for (const scheme of ["light", "dark"] as const)
          found.push(...(await violations(page, scheme, "dialog")).map((line) => `${view}: ${line}`));
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
    expect(found).toEqual([]);
  });
});

describe("the list of dialogs", () => {
  it("has every file with a dialog", async () => {
    const folder = resolve(import.meta.dirname, "../../../src/dashboard");
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".tsx"));
    const withDialog = await Promise.all(
      files.map(async (file) =>
        (await readFile(join(folder, file), "utf8")).search(/<Dialog\b/) < 0 ? [] : [file],
      ),
    );
    const wanted = withDialog.flat().map((file) => basename(file, ".tsx"));
    expect([...new Set(dialogs.map(({ file }) => file))].toSorted()).toEqual(wanted.toSorted());
  });
});
