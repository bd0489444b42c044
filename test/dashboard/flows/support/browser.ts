import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

import { findChromium } from "../../../../scripts/shared/chromium.ts";

/** How long a test waits for something to be seen. */
const PATIENCE_MS = 60_000;

/** Where Chromium is. */
export async function executable(): Promise<string> {
  const path = await findChromium();
  if (path === null) throw new Error("The dashboard is tested in Chromium: apt-get install chromium");
  return path;
}

export type Screen = { readonly width: number; readonly height: number };
export const wideScreen: Screen = { width: 1280, height: 900 };
export const phone: Screen = { width: 390, height: 844 };
/** The narrowest that a page must fit. Source: WCAG 2.2, 1.4.10 Reflow. */
export const narrowest: Screen = { width: 320, height: 640 };

/** A tab in which somebody uses the dashboard, and everything in it that should not be. */
export type Visit = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console or in the page, a page that did not come, and requests to anybody else, so far. */
  readonly complaints: () => readonly string[];
};

/** Opens a tab of its own, with nothing kept from another. @param origin the only one that it may speak with */
export async function openTab(browser: Browser, origin: string, screen = wideScreen): Promise<Visit> {
  // An animation that never ends takes a good part of a core for as long as its tab is open.
  const context = await browser.newContext({ viewport: screen, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("crash", () => complaints.push("crash"));
  page.on("requestfailed", (request) => {
    // Playwright says only that it came to nothing, not what did: a page that was asked for twice, or one that was closed.
    if (request.isNavigationRequest())
      complaints.push(`navigation to ${request.url()} from ${page.url()}: ${request.failure()?.errorText}`);
  });
  page.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (protocol.startsWith("http") && to !== origin) complaints.push(`request to ${request.url()}`);
  });
  return { page, context, complaints: () => complaints };
}

let axe: Promise<string> | null = null;

/** What axe finds wrong with a page as it stands, or with a part of it, each with where it is. */
export async function violations(
  page: Page,
  colorScheme: "light" | "dark" = "light",
  part: "html" | "dialog" = "html",
): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axe);
  await page.emulateMedia({ colorScheme });
  const report = await page.evaluate<string[]>(
    `axe.run("${part}").then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " at " + target.join(" ") + ": " + failureSummary)))`,
  );
  await page.emulateMedia({ colorScheme: "light" });
  const { pathname } = new URL(page.url());
  return report.map((line) => `${pathname} in ${colorScheme}: ${line}`);
}

/** Whether the keyboard is at something. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.ownerDocument.activeElement === element);
}
