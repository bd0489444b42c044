import { join } from "node:path";

import { type BrowserServer, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import * as z from "zod";

import { AccountId } from "#contract/ids.ts";

import { newToken } from "../../../../scripts/shared/first-token.ts";
import { LocalFile } from "../../../../scripts/start/local-file.ts";
import { serveShares } from "../../../support/serve-shares.ts";
import { writeDatabase } from "../../../support/write-database.ts";
import { createHome, removeHome, startSystem } from "../../../support/journey-system.ts";
import { executable } from "./browser.ts";
import { script } from "./operator.ts";

/** Empty accounts, each for one flow. */
const accounts = ["second", "typist", "hosts", "lost", "many"] as const;
export type AccountName = (typeof accounts)[number];

/** More than there are test files: in watch mode, a file runs several times. */
const ACCOUNTS_FOR_FILES = 60;

/** An account, and a token with full access to it. */
export const FileAccount = z.object({ account_id: AccountId, token: z.string() });
export type FileAccount = z.infer<typeof FileAccount>;

/** An installation that runs like `npm start`, with additional accounts. */
export const Installation = z.object({
  home: z.string(),
  /** The account that `npm start` creates, with a live site. */
  local: LocalFile,
  /** The sign-in link that `npm start` prints. It works once. */
  printedLink: z.string(),
  /** A token of each account, with full access to it. */
  tokens: z.record(z.enum(accounts), z.string()),
});
export type Installation = z.infer<typeof Installation>;

/** What one test file gets of the shared installation. */
export const Share = z.object({
  installation: Installation,
  account: FileAccount,
  /** A link that signs in once to the account `second`. */
  secondLink: z.string(),
});
export type Share = z.infer<typeof Share>;

/** The WebSocket address at which Playwright connects to the browser. */
export const BrowserAddress = z.object({ browser: z.string() });

declare module "vitest" {
  interface ProvidedContext {
    /** An HTTP server. `/browser` returns a `BrowserAddress`, `/share` a new `Share` for each request. */
    dashboardSetupUrl: string;
  }
}

/**
 * Runs once before all test files; the function that it returns runs after them. All files share one browser and one
 * installation, because each takes longer to start than most flows. They start when the first file requests them.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | null = null;
  let shared: ReturnType<typeof startShared> | null = null;
  async function answer(path: string | undefined): Promise<unknown> {
    if (path === "/browser") {
      browser ??= startBrowser();
      return { browser: (await browser).wsEndpoint() };
    }
    shared ??= startShared();
    const { installation, accountsForFiles, secondLink } = await shared;
    const account = accountsForFiles.pop();
    if (account === undefined) throw new Error(`all ${ACCOUNTS_FOR_FILES} accounts are taken`);
    return { installation, account, secondLink };
  }
  const server = await serveShares(answer);
  project.provide("dashboardSetupUrl", server.url);
  return async () => {
    server.close();
    // If one did not start, each file has reported it.
    await (await browser?.catch(() => null))?.close();
    await (await shared?.catch(() => null))?.end();
  };
}

/**
 * Chromium's features that the tests do without. Replaces Playwright's own list. The spare renderer is a process that
 * waits for the next tab: an eighth of the CPU time of the flows. The address bar's popups are two pages in a process of
 * their own, for each browser context: 0.7 s of CPU time, and an empty tab takes 0.25 s.
 */
const DISABLED_FEATURES = [
  "SpareRendererForSitePerProcess",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "PaintHolding",
  "HttpsUpgrades",
  "OptimizationHints",
];

async function startBrowser(): Promise<BrowserServer> {
  const args = ["--no-sandbox", `--disable-features=${DISABLED_FEATURES.join(",")}`];
  return chromium.launchServer({ executablePath: await executable(), args });
}

/** Starts the shared installation. Its link is made before the flows, because that writes to the database. */
async function startShared(): Promise<RunningInstallation & { readonly secondLink: string }> {
  const started = await startInstallation(ACCOUNTS_FOR_FILES);
  const home = join(started.installation.home, "installation");
  try {
    return { ...started, secondLink: await script("sign-in.ts", "--account", "second", "--local", home) };
  } catch (error) {
    await started.end();
    throw error;
  }
}

export type RunningInstallation = {
  readonly installation: Installation;
  readonly accountsForFiles: FileAccount[];
  readonly end: () => Promise<void>;
};

/** @param filesCount the number of accounts for test files */
export async function startInstallation(filesCount = 0): Promise<RunningInstallation> {
  const home = await createHome();
  try {
    const system = await startSystem(join(home, "installation"));
    const named = accounts.map((name) => ({ name, ...newToken({ name }, name, Date.now()) }));
    const forFiles = Array.from({ length: filesCount }, (_, at) =>
      newToken({ name: `file ${at + 1}` }, "flow", Date.now()),
    );
    // All at once and before the flows: the database is locked for the Worker while another process writes.
    writeDatabase(
      system.home,
      [...named, ...forFiles].flatMap(({ statements }) => statements),
    );
    const tokens = Object.fromEntries(named.map(({ name, token }) => [name, token]));
    const [printedLink] = /http:\/\/\S+\/app\/sign-in#code=\w+/.exec(system.output()) ?? [];
    if (printedLink === undefined) throw new Error(`No link was printed:\n${system.output()}`);
    return {
      installation: Installation.parse({ home, local: system.local, printedLink, tokens }),
      accountsForFiles: forFiles.map(({ accountId, token }) => ({ account_id: accountId, token })),
      async end() {
        await system.interrupt();
        await removeHome(home);
      },
    };
  } catch (error) {
    await removeHome(home);
    throw error;
  }
}
