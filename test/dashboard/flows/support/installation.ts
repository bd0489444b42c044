import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import * as z from "zod";

import { executeStatements } from "../../../../scripts/parts/execute-statements.ts";
import { newToken } from "../../../../scripts/parts/first-token.ts";
import { LocalFile } from "../../../../scripts/start/local-file.ts";
import { createHome, removeHome, startSystem } from "../../../support/journey-system.ts";
import { executable } from "./browser.ts";

/** Accounts with nothing in them, each for one flow. */
const accounts = ["second", "typist", "hosts", "lost", "many"] as const;
export type AccountName = (typeof accounts)[number];

/** One installation and one browser for all files: to start them takes longer than most flows. */
export const Installation = z.object({
  home: z.string(),
  local: LocalFile,
  /** The link that signs in once, as `npm start` prints it. */
  printedLink: z.string(),
  /** A token of each account that may do everything there. */
  tokens: z.record(z.enum(accounts), z.string()),
  /** Where Playwright reaches the browser. */
  browser: z.string(),
});
export type Installation = z.infer<typeof Installation>;

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with an `Installation`. */
    installationUrl: string;
  }
}

/**
 * Called once before all files of all projects, and what it returns once after them. The installation itself is started
 * when the first file asks for it: its link is good for ten minutes only.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let started: ReturnType<typeof start> | null = null;
  const door = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ installation }) => response.end(JSON.stringify(installation)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  project.provide("installationUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    door.close();
    // Where it did not start, each file has said so.
    await (await started?.catch(() => null))?.end();
  };
}

async function start(): Promise<{ installation: Installation; end: () => Promise<void> }> {
  const browser = await chromium.launchServer({
    executablePath: await executable(),
    args: ["--no-sandbox"],
  });
  const home = await createHome();
  const end = async () => {
    await browser.close();
    await removeHome(home);
  };
  try {
    const system = await startSystem(join(home, "installation"));
    const made = accounts.map((name) => ({ name, ...newToken({ name }, name, Date.now()) }));
    // All at once and before the flows: what they write meanwhile may be refused, because the database is locked.
    await executeStatements(
      { home: system.home },
      made.flatMap(({ statements }) => statements),
    );
    const tokens = Object.fromEntries(made.map(({ name, token }) => [name, token]));
    const [printedLink] = /http:\/\/\S+\/app\/sign-in#code=\w+/.exec(system.output()) ?? [];
    if (printedLink === undefined) throw new Error(`No link was printed:\n${system.output()}`);
    return {
      installation: Installation.parse({
        home,
        local: system.local,
        printedLink,
        tokens,
        browser: browser.wsEndpoint(),
      }),
      async end() {
        await system.interrupt();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
