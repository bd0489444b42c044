import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

import { findChromium } from "../../../scripts/parts/chromium.ts";

/** How long a test waits for something to be seen. */
const PATIENCE_MS = 30_000;

/** A tab in which somebody uses the dashboard, and everything in it that should not be. */
export type Visit = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console or in the page, and requests to anybody else, so far. */
  readonly complaints: () => readonly string[];
  readonly close: () => Promise<void>;
};

export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null)
    throw new Error("The dashboard is tested in Chromium; install it: apt-get install chromium");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

export type Screen = { readonly width: number; readonly height: number };
export const wideScreen: Screen = { width: 1280, height: 900 };
export const phone: Screen = { width: 390, height: 844 };

/** Opens a tab of its own, with nothing kept from another. @param origin the only one that it may speak with */
export async function visit(browser: Browser, origin: string, screen = wideScreen): Promise<Visit> {
  const context = await browser.newContext({ viewport: screen });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (protocol.startsWith("http") && to !== origin) complaints.push(`request to ${request.url()}`);
  });
  return { page, context, complaints: () => complaints, close: () => context.close() };
}

let axe: Promise<string> | null = null;

/** What axe finds wrong with a page as it stands, in light and in dark, each with where it is. */
export async function violations(page: Page): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const source = await axe;
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(source);
    const report = await page.evaluate<string[]>(
      "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`)))",
    );
    found.push(...report.map((line) => `${colorScheme}: ${line}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}
