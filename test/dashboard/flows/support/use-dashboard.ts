import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";

import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

import { type Api, createApi } from "../../../support/journey-api.ts";
import { createRepository, type Repository } from "../../../support/journey-repository.ts";
import { openTab, type Screen, type Visit } from "./browser.ts";
import { type AccountName, Installation } from "./installation.ts";

const failures = resolve(import.meta.dirname, "../../../../build/dashboard-failures");

export type VisitOptions = {
  readonly screen?: Screen;
  /** Complaints that are part of the test. */
  readonly expected?: RegExp;
};

export type Dashboard = Installation & {
  readonly api: Api;
  /** A tab, closed after the test, which fails if the tab has anything to complain of. */
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
  /** An account of the flow's own, with nothing in it, and a token of it that may do everything. */
  readonly account: (name: AccountName) => { readonly api: Api; readonly token: string };
  /** A repository of the test's own. */
  readonly repository: (name: string) => Promise<Repository>;
};

/** The installation that the files share, and tabs on it. To be called at the top of a file. */
export async function useDashboard(): Promise<Dashboard> {
  const installation = await readInstallation();
  const { local, home } = installation;
  let browser: Browser;
  let open: { readonly visit: Visit; readonly expected: RegExp | undefined }[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(installation.browser);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail")
      await Promise.all(open.map(({ visit }, at) => keepPicture(visit, `${task.name} ${at + 1}`)));
    const complaints = open.flatMap(({ visit, expected }) =>
      visit.complaints().filter((text) => expected?.test(text) !== true),
    );
    // A page goes on asking while it is closed; what a flow answers in the Worker's place would be missing there.
    await Promise.all(open.map(({ visit }) => visit.page.unrouteAll({ behavior: "ignoreErrors" })));
    await Promise.all(open.map(({ visit }) => visit.context.close()));
    open = [];
    expect(complaints).toEqual([]);
  });
  afterAll(() => browser.close());
  return {
    ...installation,
    api: createApi(local.url, local.token),
    async visit({ screen, expected } = {}) {
      const visit = await openTab(browser, local.url, screen);
      open.push({ visit, expected });
      return visit;
    },
    account(name) {
      const token = installation.tokens[name];
      return { api: createApi(local.url, token), token };
    },
    repository: (name) => createRepository(join(home, "repositories", name)),
  };
}

async function readInstallation(): Promise<Installation> {
  const answer = await fetch(inject("installationUrl"));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return Installation.parse(JSON.parse(text));
}

/** What a tab looked like when its test failed. */
async function keepPicture({ page }: Visit, name: string): Promise<void> {
  await mkdir(failures, { recursive: true });
  const path = join(failures, `${name.replace(/\W+/g, "-").slice(-80)}.png`);
  // The tab may be what failed.
  await page.screenshot({ path, fullPage: true, timeout: 5_000 }).catch(() => undefined);
}
