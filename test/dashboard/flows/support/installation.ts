import { join } from "node:path";

import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

import type { LocalFile } from "../../../../scripts/start/local-file.ts";
import { createHome, removeHome, startSystem } from "../../../support/journey-system.ts";
import { executable } from "./browser.ts";

/** One installation and one browser for all files: to start them takes longer than most flows. */
export type Installation = {
  readonly home: string;
  readonly local: LocalFile;
  /** The link that signs in once, as `npm start` prints it. */
  readonly printedLink: string;
  /** Where Playwright reaches the browser. */
  readonly browser: string;
};

declare module "vitest" {
  interface ProvidedContext {
    installation: Installation;
  }
}

/** Called once before the files of the project, and what it returns once after them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const home = await createHome();
  const [system, browser] = await Promise.all([
    startSystem(join(home, "installation")),
    chromium.launchServer({ executablePath: await executable(), args: ["--no-sandbox"] }),
  ]);
  const [printedLink] = /http:\/\/\S+\/app\/sign-in#code=\w+/.exec(system.output()) ?? [];
  if (printedLink === undefined) throw new Error(`No link was printed:\n${system.output()}`);
  project.provide("installation", {
    home,
    local: system.local,
    printedLink,
    browser: browser.wsEndpoint(),
  });
  return async () => {
    await browser.close();
    await system.interrupt();
    await removeHome(home);
  };
}
