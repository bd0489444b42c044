import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";

import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

import { browserAddress } from "../../../scripts/shared/sign-in-code.ts";
import type { LocalFile } from "../../../scripts/start/local-file.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import { fetchShare } from "../../support/serve-shares.ts";
import { createRepository, type Repository } from "../../support/journey-repository.ts";
import { openTab, type Screen, type Visit } from "./browser.ts";
import {
  type AccountName,
  BrowserAddress,
  type Installation,
  Share,
  startInstallation,
} from "./installation.ts";
import { createLiveSite } from "./live-site.ts";

const failures = resolve(import.meta.dirname, "../../../build/dashboard-failures");

export type VisitOptions = {
  readonly screen?: Screen;
  /** Errors that the test expects. */
  readonly expected?: RegExp;
  /** Keeps the tab for the other tests of the file, which only read. A tab and its sign-in take 0.6 s of CPU time. */
  readonly isKept?: boolean;
};

export type DashboardOptions = {
  /**
   * `shared`: an account in the installation that the files share. `own`: a separate installation, for a file that
   * writes to the database during its tests, because that locks the database for other files.
   */
  readonly installation?: "shared" | "own";
  /**
   * The account in the shared installation. `live`: a separate account with a server and a live site. `empty`: a separate
   * account; the ids in `local` belong to another one. `installed`: the account that `npm start` creates, for one file.
   */
  readonly account?: "live" | "empty" | "installed";
};

type Local = Pick<LocalFile, "url" | "token" | "account_id" | "server_id" | "project_id" | "deployment_id">;

export type Dashboard = Omit<Installation, "local"> & {
  /**
   * A link from `npm run sign-in`, which signs in once to the account `second` of the shared installation. Empty in a
   * separate installation.
   */
  readonly secondLink: string;
  /** A link that signs in once to the account of the test file. Empty in a separate installation. */
  readonly link: string;
  /** The address at which passkeys work. */
  readonly named: string;
  /** The account of the test file. Its site is `hello-site`. */
  readonly local: Local;
  readonly api: Api;
  /** Opens a tab. It is closed after the test unless it is kept. A test fails if a tab had unexpected errors. */
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
  /** A separate empty account, and a token with full access to it. */
  readonly account: (name: AccountName) => { readonly api: Api; readonly token: string };
  /** Creates a separate repository. */
  readonly repository: (name: string) => Promise<Repository>;
};

type Tab = {
  readonly visit: Visit;
  readonly expected: RegExp | undefined;
  readonly isKept: boolean;
  /** The number of its errors that earlier tests have reported. */
  reported: number;
};

/** The unexpected errors in a tab since the last call. */
function newErrors(tab: Tab): string[] {
  const all = tab.visit.errors();
  const since = all.slice(tab.reported);
  tab.reported = all.length;
  return since.filter((text) => tab.expected?.test(text) !== true);
}

/** Sets up the dashboard for a test file. Call it at the top of the file. */
export async function useDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { installation, local, secondLink, link, end } = await open(options);
  const { home } = installation;
  let browser: Browser;
  let tabs: Tab[] = [];
  beforeAll(async () => {
    const address = BrowserAddress.parse(await askSetup("/browser"));
    browser = await chromium.connect(address.browser);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail")
      await Promise.all(tabs.map(({ visit }, at) => saveScreenshot(visit, `${task.name} ${at + 1}`)));
    const errors = tabs.flatMap(newErrors);
    const [kept, closing] = [tabs.filter(({ isKept }) => isKept), tabs.filter(({ isKept }) => !isKept)];
    // A page still sends requests while it closes, and they would wait for a flow's route handlers.
    await Promise.all(closing.map(({ visit }) => visit.page.unrouteAll({ behavior: "ignoreErrors" })));
    await Promise.all(closing.map(({ visit }) => visit.context.close()));
    tabs = kept;
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(tabs.map(({ visit }) => visit.context.close()));
    await browser.close();
    await end();
  });
  return {
    ...installation,
    local,
    secondLink,
    link,
    named: browserAddress(local.url),
    api: createApi(local.url, local.token),
    async visit({ screen, expected, isKept = false } = {}) {
      const visit = await openTab(browser, local.url, screen);
      tabs.push({ visit, expected, isKept, reported: 0 });
      return visit;
    },
    account(name) {
      const token = installation.tokens[name];
      return { api: createApi(local.url, token), token };
    },
    repository: (name) => createRepository(join(home, "repositories", name)),
  };
}

type Opened = {
  readonly installation: Installation;
  readonly local: Local;
  readonly secondLink: string;
  readonly link: string;
  readonly end: () => Promise<void>;
};

async function open({
  installation: kind = "shared",
  account: use = "live",
}: DashboardOptions): Promise<Opened> {
  if (kind === "own") {
    const { installation, end } = await startInstallation();
    return { installation, local: installation.local, secondLink: "", link: "", end };
  }
  const { installation, account, secondLink } = Share.parse(await askSetup("/share"));
  const { link, ...own } = account;
  const local = use === "installed" ? installation.local : { ...installation.local, ...own };
  if (use !== "live") return { installation, local, secondLink, link, end: async () => undefined };
  const folder = join(installation.home, "accounts", account.account_id);
  const site = await createLiveSite(createApi(local.url, local.token), folder);
  return { installation, local: { ...local, ...site.ids }, secondLink, link, end: () => site.stop() };
}

function askSetup(path: string): Promise<unknown> {
  return fetchShare(inject("dashboardSetupUrl") + path);
}

/** Saves a screenshot of a tab whose test failed. */
async function saveScreenshot({ page }: Visit, name: string): Promise<void> {
  await mkdir(failures, { recursive: true });
  const path = join(failures, `${name.replace(/\W+/g, "-").slice(-80)}.png`);
  // The tab itself may have crashed.
  await page.screenshot({ path, fullPage: true, timeout: 5_000 }).catch(() => undefined);
}
