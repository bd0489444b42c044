import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

import { browserAddress } from "../../../scripts/shared/sign-in-code.ts";
import { findChromium } from "../../../scripts/shared/chromium.ts";

/** The timeout of Playwright's waits. */
const TIMEOUT_MS = 60_000;

/** The path of Chromium. */
export async function executable(): Promise<string> {
  const path = await findChromium();
  if (path === null)
    throw new Error("The dashboard is tested in Chromium: apt-get install chromium-headless-shell");
  return path;
}

export type Screen = { readonly width: number; readonly height: number };
export const wideScreen: Screen = { width: 1280, height: 900 };
export const phone: Screen = { width: 390, height: 844 };
/** The narrowest window that pages must fit. Source: WCAG 2.2, 1.4.10 Reflow. */
export const narrowest: Screen = { width: 320, height: 640 };

/** A browser tab, and the errors in it. */
export type Visit = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console or the page so far, failed navigations and requests to other hosts. */
  readonly errors: () => readonly string[];
};

/** Opens a tab in a new browser context. @param origin the only origin that it may send requests to, also at its name */
export async function openTab(browser: Browser, origin: string, screen = wideScreen): Promise<Visit> {
  // An endless animation uses much of a core while its tab is open.
  const context = await browser.newContext({ viewport: screen, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => errors.push(`error: ${error.message}`));
  page.on("crash", () => errors.push("crash"));
  page.on("requestfailed", (request) => {
    // Playwright's own error does not name the request: a page that was requested twice, or a page that was closed.
    if (request.isNavigationRequest())
      errors.push(`navigation to ${request.url()} from ${page.url()}: ${request.failure()?.errorText}`);
  });
  page.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (protocol.startsWith("http") && to !== origin && to !== browserAddress(origin))
      errors.push(`request to ${request.url()}`);
  });
  return { page, context, errors: () => errors };
}

let axe: Promise<string> | null = null;

function readAxe(): Promise<string> {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return axe;
}

/** Loads axe with each document of a page. For a page that loads many: otherwise the browser gets axe again for each. */
export async function loadWithAxe(page: Page): Promise<void> {
  await page.addInitScript(await readAxe());
}

/** The violations that axe finds in a page, or in its dialog, each with its element. */
export async function violations(
  page: Page,
  colorScheme: "light" | "dark" = "light",
  part: "html" | "dialog" = "html",
): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await readAxe());
  await page.emulateMedia({ colorScheme });
  const report = await page.evaluate<string[]>(
    `axe.run("${part}", { resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " at " + target.join(" ") + ": " + failureSummary)))`,
  );
  await page.emulateMedia({ colorScheme: "light" });
  const { pathname } = new URL(page.url());
  return report.map((line) => `${pathname} in ${colorScheme}: ${line}`);
}

/** What axe finds in both color schemes, and whether the page is wider than the narrowest window. Leaves it wide. */
export async function faultsOf(page: Page): Promise<string[]> {
  const found = [...(await violations(page, "light")), ...(await violations(page, "dark"))];
  await page.setViewportSize(narrowest);
  if ((await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true)
    found.push(`${new URL(page.url()).pathname} is wider than the window`);
  await page.setViewportSize(wideScreen);
  return found;
}

/** Whether an element has the focus. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.ownerDocument.activeElement === element);
}
