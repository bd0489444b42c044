import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { dashboardPages } from "#contract/dashboard-pages.ts";

import { createApi } from "../support/journey-api.ts";
import { sampleOf } from "../support/sample.ts";
import { createAppsProject } from "../dashboard/support/apps-project.ts";
import {
  dialogParts,
  dialogs,
  dialogsElsewhere,
  openDialog,
  pageViews,
  settled,
  SHOWN_TOKEN,
} from "../dashboard/support/views.ts";
import { loadWithAxe, phone, violations, wideScreen } from "./support/browser.ts";
import { addDevice, becomeOwner } from "./support/passkeys.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, named, link, account, api, visit } = await useDashboard({ account: "empty" });
const shop = await createAppsProject(local, "shop");
afterAll(() => shop.stop());

/** The sum of the shifts of a page while it loads that a reader does not notice. Source: https://web.dev/articles/cls */
const MOST_SHIFT = 0.1;

/** Adds up what moves on the page without the reader's doing. */
const RECORD_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 120)) });
  }).observe({ type: "layout-shift", buffered: true });`;

beforeAll(async () => {
  const times = { type: "once", from: "2100-01-01T00:00:00.000Z", to: "2100-01-02T00:00:00.000Z" };
  const created = [
    await api.call("POST", "/v1/webhooks", { kind: "standard", url: "https://hooks.example.com/gantry" }),
    await api.call("POST", "/v1/webhooks", {
      kind: "slack",
      name: "Team",
      url: "https://hooks.example.com/s/1",
    }),
    await api.call("POST", "/v1/freezes", { name: "Holidays", times }),
    await api.call("POST", "/v1/trust-rules", {
      ...{ name: "shop, main", provider: "github", subject: "1296269" },
      ...{ claims: { ref: ["refs/heads/main"] }, scopes: ["deployments:write"] },
    }),
    await api.call("POST", "/v1/tokens", {
      name: SHOWN_TOKEN,
      scopes: ["deployments:write", "projects:read", "commands:run"],
      expires_in_days: 90,
    }),
  ];
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
});

/** The tab of all tests that are signed in, as the owner. Each loads its page again. */
let tab: Page;
beforeAll(async () => {
  const visited = await visit({ isKept: true, expected: /status of 403 .*recovery-codes/ });
  tab = visited.page;
  await tab.addInitScript(RECORD_SHIFTS);
  await loadWithAxe(tab);
  await addDevice(visited);
  const owner = createApi(local.url, await becomeOwner(tab, link, "Ada Lovelace"));
  const grants = [{ role: "viewer" }, { role: "deployer", project_ids: [shop.id] }];
  const invited = await owner.call("POST", "/v1/invitations", { email: "grace@example.com", grants });
  expect(invited.status).toBe(201);
  const signOn = { kind: "github", name: "GitHub", client_id: "gantry", client_secret: "secret" };
  expect((await owner.call("POST", "/v1/connections", signOn)).status).toBe(201);
});

/** The faults in the present layout of a page. */
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
  // Content outside of such a frame is easily missed. The links of sections show that there are more, logs can wrap.
  const hidden = await page.evaluate<string[]>(`
    [...document.querySelectorAll("dialog[open] *, main *")]
      .filter((element) =>
        /auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1
          && !element.matches(".sections, .log .lines"))
      .map((element) => element.outerHTML.slice(0, 120))`);
  const broken = await page.evaluate<string[]>(`
    [...document.querySelectorAll("dialog[open] button, main button")]
      .filter((button) => {
        const word = document.createRange();
        const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
          for (const { index, 0: { length } } of text.data.matchAll(/[A-Za-z]+/g)) {
            word.setStart(text, index);
            word.setEnd(text, index + length);
            if (word.getClientRects().length > 1) return true;
          }
        return false;
      })
      .map((element) => element.outerHTML.slice(0, 120))`);
  return [
    ...broken.map((element) => `${view}: breaks a word of ${element}`),
    ...hidden.map((element) => `${view}: scrolls to the side in ${element}`),
    ...(scroll > inner ? [`${view}: ${scroll} pixels wide in a window of ${inner}`] : []),
    ...cut.map((element) => `${view}: cuts off the content of ${element}`),
  ];
}

async function shiftsOf(page: Page, view: string): Promise<string[]> {
  const shifts = await page.evaluate<{ value: number; moved: string[] }[]>("shifts");
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  return sum <= MOST_SHIFT ? [] : [`${view}: moves by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`];
}

const screens = { wide: wideScreen, phone } as const;
const views = pageViews({ project: shop.id, deployment: shop.live, apps: shop.id });
const names = views.map(({ page }) => page);
const schemes = { wide: "light", phone: "dark" } as const;

/** Opens a page on a screen. @returns the faults in its layout */
async function look(page: Page, path: string, screen: keyof typeof schemes): Promise<string[]> {
  await page.setViewportSize(screens[screen]);
  await page.goto(named + path);
  await settled(page);
  return [
    ...(await faultsOf(page, `${path} on ${screen}`)),
    ...(await shiftsOf(page, `${path} on ${screen}`)),
    ...(await violations(page, schemes[screen])),
  ];
}

/** One of the screens, another one each day: together they take minutes. */
const screensOf = (name: (typeof names)[number]) =>
  sampleOf(["wide", "phone"] as const, 2, names.indexOf(name));

describe("a page and its dialogs", () => {
  it.each(names)("fit the window, do not move, and pass axe: %s", async (name) => {
    const { path, dialogs: opened } = views.find((one) => one.page === name) ?? { path: "", dialogs: [] };
    const found: string[] = [];
    for (const screen of screensOf(name)) {
      found.push(...(await look(tab, path, screen)));
      for (const dialog of opened) {
        const view = `${dialog.name} on ${screen}`;
        if (!(await openDialog(tab, dialog))) {
          found.push(`${view}: nothing opens it`);
          continue;
        }
        found.push(...(await faultsOf(tab, view)));
        const wrong = await violations(tab, schemes[screen], "dialog");
        found.push(...wrong.map((line) => `${view}: ${line}`));
        await tab.keyboard.press("Escape");
        await tab.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
    expect(found).toEqual([]);
  });
});

describe("the table of servers", () => {
  it("leaves room for the names in every window", async () => {
    for (const width of [720, 1100, 1239, 1240]) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(`${named}/app/servers`);
      await settled(tab);
      const name = await tab.locator(".table tbody th").first().boundingBox();
      expect(name?.width, `${width} px`).toBeGreaterThan(150);
    }
  });
});

describe("the row of a webhook", () => {
  it("has its actions beside its name, also with many events", async () => {
    await tab.setViewportSize(wideScreen);
    await tab.goto(`${named}/app/webhooks`);
    const name = await tab.getByRole("heading", { name: "Team" }).boundingBox();
    const action = await tab.getByRole("button", { name: "Show deliveries of Team" }).boundingBox();
    expect(action?.x).toBeGreaterThan(wideScreen.width / 2);
    expect(Math.abs((action?.y ?? 0) - (name?.y ?? 0))).toBeLessThan(60);
  });
});

describe("the card of production", () => {
  it("has room for a long source in every window", async () => {
    const longest = {
      repository: "https://github.com/organisation-with-a-long-name/website-frontend.git",
      branch: "feature/renew-the-checkout-page",
    };
    const { repository, branch } = await api.getProject(shop.id);
    await api.call("PATCH", `/v1/projects/${shop.id}`, longest);
    for (const width of [1024, 1239, 1280]) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(`${named}/app/projects/${shop.id}`);
      await settled(tab);
      const lines = await tab.evaluate<number[]>(
        `[...document.querySelectorAll(".production dd")].map((fact) => Math.round(fact.offsetHeight / parseFloat(getComputedStyle(fact).lineHeight)))`,
      );
      expect(Math.max(...lines), `${width} px`).toBeLessThanOrEqual(3);
    }
    await api.call("PATCH", `/v1/projects/${shop.id}`, { repository, branch });
  });
});

describe("an event on a phone", () => {
  it("has its type below its text, however long both are", async () => {
    await tab.setViewportSize(phone);
    await tab.goto(`${named}/app/events`);
    await settled(tab);
    await tab.getByRole("list", { name: "Events" }).waitFor();
    const offsets = await tab.evaluate<number[]>(
      `[...document.querySelectorAll(".record")].map((row) => row.querySelector("code").offsetLeft - row.querySelector(".title").offsetLeft)`,
    );
    expect(offsets.length).toBeGreaterThan(3);
    expect(new Set(offsets)).toEqual(new Set([0]));
  });
});

describe("the pages without a view", () => {
  it("fit the window, do not move, and pass axe", async () => {
    const { page } = await visit({ expected: /status of 404 .*\/app\/nothing/ });
    await page.addInitScript(RECORD_SHIFTS);
    await loadWithAxe(page);
    const found: string[] = [];
    const lookAt = async (path: string) => {
      for (const screen of ["wide", "phone"] as const) found.push(...(await look(page, path, screen)));
    };
    await lookAt("/app/sign-in");
    await lookAt("/app/join");
    await openSignedIn(page, { ...local, url: named }, "/app/");
    for (const path of [`/app/deployments/${shop.failed}`, "/app/nothing"]) await lookAt(path);
    expect(found).toEqual([]);
  });
});

describe("the dialogs of an account without an owner, and of a session without a confirmation", () => {
  it("fit the window, and pass axe", async () => {
    const { page } = await visit();
    await loadWithAxe(page);
    // It has the rights of a session by a link.
    const { token } = account("typist");
    await openSignedIn(page, { ...local, url: named, token, account_id: "", kind: "session" }, "/app/");
    const found: string[] = [];
    const lookAt = async (on: Page, name: string) => {
      for (const screen of ["wide", "phone"] as const) {
        await on.setViewportSize(screens[screen]);
        found.push(...(await faultsOf(on, `${name} on ${screen}`)));
        found.push(...(await violations(on, schemes[screen])));
      }
    };
    await page.getByText("This account has no owner yet").waitFor();
    await lookAt(page, "the offer to create the owner");
    await page.getByRole("button", { name: "Create the owner" }).click();
    await lookAt(page, "create-owner");

    await tab.goto(`${named}/app/profile`);
    await tab.route("**/v1/me/recovery-codes", async (route) => {
      const problem = {
        type: "about:blank",
        title: "Confirm",
        status: 403,
        detail: "Confirm.",
        request_id: "",
      };
      const json = { ...problem, code: "reauthentication_required" };
      await route.fulfill({ status: 403, contentType: "application/problem+json", json });
    });
    await tab.getByRole("button", { name: "Create recovery codes" }).click();
    await tab.getByRole("button", { name: "Create codes" }).click();
    await tab.getByText("This change needs proof").waitFor();
    await lookAt(tab, "confirm-dialog");
    await tab.unroute("**/v1/me/recovery-codes");
    expect(found).toEqual([]);
  });
});

describe("the list of views", () => {
  it("has every page except the sign-in and the invitation", () => {
    expect([...names, "sign_in", "join"].toSorted()).toEqual(Object.keys(dashboardPages).toSorted());
  });

  it("has every dialog of every file", async () => {
    const folder = resolve(import.meta.dirname, "../../src/dashboard");
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".tsx"));
    const inFiles = await Promise.all(
      files.map(async (file) => {
        const source = await readFile(join(folder, file), "utf8");
        const count = source.match(/<(?:Dialog|RemovalDialog|SecretDialog)\b/g)?.length ?? 0;
        return { name: basename(file, ".tsx"), count };
      }),
    );
    const others = [...dialogParts, ...dialogsElsewhere];
    const withDialogs = inFiles.filter(({ name, count }) => count > 0 && !others.includes(name));
    const listed = (name: string) => dialogs.filter(({ file }) => file === name).length;
    expect(withDialogs.filter(({ name, count }) => listed(name) < count)).toEqual([]);
    const found = withDialogs.map(({ name }) => name);
    expect(dialogs.filter(({ file }) => !found.includes(file))).toEqual([]);
  });
});
