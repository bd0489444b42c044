import type { TestProject } from "vitest/node";

import { serveShares } from "../../support/serve-shares.ts";

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
  // Only a run with flows loads Playwright.
  const load = () => import("./installation.ts");
  type Loaded = Awaited<ReturnType<typeof load>>;
  let browser: ReturnType<Loaded["startBrowser"]> | null = null;
  let shared: ReturnType<Loaded["startShared"]> | null = null;
  async function answer(path: string | undefined): Promise<unknown> {
    if (path === "/browser") {
      browser ??= load().then((module) => module.startBrowser());
      return { browser: (await browser).wsEndpoint() };
    }
    shared ??= load().then((module) => module.startShared());
    const { installation, accountsForFiles, secondLink } = await shared;
    const account = accountsForFiles.pop();
    if (account === undefined) throw new Error("all accounts are taken");
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
