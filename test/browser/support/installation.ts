import { join } from "node:path";

import { type BrowserServer, chromium } from "playwright-core";
import * as z from "zod";

import { AccountId } from "#contract/ids.ts";
import { signInLink } from "#contract/public-paths.ts";

import { browserAddress, newSignInCode } from "../../../scripts/shared/sign-in-code.ts";
import { newToken, type Statement } from "../../../scripts/shared/first-token.ts";
import { LocalFile } from "../../../scripts/start/local-file.ts";
import { writeDatabase } from "../../support/write-database.ts";
import { createHome, removeHome, startSystem } from "../../support/journey-system.ts";
import { executable } from "./browser.ts";
import { script } from "./operator.ts";

/** Empty accounts, each for one flow. */
const accounts = ["second", "typist", "hosts", "lost", "many"] as const;
export type AccountName = (typeof accounts)[number];

/** More than there are test files: in watch mode, a file runs several times. */
const ACCOUNTS_FOR_FILES = 60;

/** An account, a token with full access to it, and a link that signs in to it once. */
export const FileAccount = z.object({ account_id: AccountId, token: z.string(), link: z.string() });
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

export async function startBrowser(): Promise<BrowserServer> {
  const args = ["--no-sandbox", `--disable-features=${DISABLED_FEATURES.join(",")}`];
  return chromium.launchServer({ executablePath: await executable(), args });
}

/** Starts the shared installation. Its link is made before the flows, because that writes to the database. */
export async function startShared(): Promise<RunningInstallation & { readonly secondLink: string }> {
  const started = await startInstallation(ACCOUNTS_FOR_FILES);
  const home = join(started.installation.home, "installation");
  try {
    const secondLink = await script("sign-in.ts", "--account", "second", "--local", home);
    // The test files that need the links can be the last of a long run.
    writeDatabase(home, [laterExpiry]);
    return { ...started, secondLink };
  } catch (error) {
    await started.end();
    throw error;
  }
}

/** Sign-in links expire after ten minutes. */
const laterExpiry: Statement = {
  sql: "UPDATE sign_in_codes SET expires_at = expires_at + ?",
  parameters: [24 * 3_600_000],
};

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
    const forFiles = Array.from({ length: filesCount }, (_, at) => {
      const made = newToken({ name: `file ${at + 1}` }, "flow", Date.now());
      const { code, statement } = newSignInCode({ id: made.accountId }, Date.now());
      const link = signInLink(browserAddress(system.local.url), code);
      return { ...made, link, statements: [...made.statements, statement] };
    });
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
      accountsForFiles: forFiles.map(({ accountId, token, link }) => ({
        account_id: accountId,
        token,
        link,
      })),
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
