import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";

import { type BrowserServer, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import * as z from "zod";

import { AccountId } from "#contract/ids.ts";

import { executeStatements } from "../../../../scripts/shared/execute-statements.ts";
import { newToken } from "../../../../scripts/shared/first-token.ts";
import { LocalFile } from "../../../../scripts/start/local-file.ts";
import { createHome, removeHome, startSystem } from "../../../support/journey-system.ts";
import { executable } from "./browser.ts";

/** Accounts with nothing in them, each for one flow. */
const accounts = ["second", "typist", "hosts", "lost", "many"] as const;
export type AccountName = (typeof accounts)[number];

/** More than there are files: in watch mode a file runs several times. */
const ACCOUNTS_FOR_FILES = 60;

/** An account, and a token that may do everything there. */
export const FileAccount = z.object({ account_id: AccountId, token: z.string() });
export type FileAccount = z.infer<typeof FileAccount>;

/** An installation as `npm start` runs it, with more accounts. */
export const Installation = z.object({
  home: z.string(),
  /** Of the account that `npm start` makes, with a live site. */
  local: LocalFile,
  /** The link that signs in once, as `npm start` prints it. */
  printedLink: z.string(),
  /** A token of each account that may do everything there. */
  tokens: z.record(z.enum(accounts), z.string()),
});
export type Installation = z.infer<typeof Installation>;

/** The part of the shared installation that one file gets. */
export const Share = z.object({ installation: Installation, account: FileAccount });
export type Share = z.infer<typeof Share>;

/** Where Playwright reaches the browser. */
export const BrowserAddress = z.object({ browser: z.string() });

declare module "vitest" {
  interface ProvidedContext {
    /** Answers `/browser` with a `BrowserAddress`, and `/share` with a `Share`, another one each time. */
    dashboardSetupUrl: string;
  }
}

/**
 * Called once before all files of all projects, and what it returns once after them. One browser and one installation
 * serve all files, because each takes longer to start than most flows. They start when the first file asks for them.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | null = null;
  let shared: ReturnType<typeof startInstallation> | null = null;
  async function answer(path: string | undefined): Promise<unknown> {
    if (path === "/browser") {
      browser ??= startBrowser();
      return { browser: (await browser).wsEndpoint() };
    }
    shared ??= startInstallation(ACCOUNTS_FOR_FILES);
    const { installation, accountsForFiles } = await shared;
    const account = accountsForFiles.pop();
    if (account === undefined) throw new Error(`all ${ACCOUNTS_FOR_FILES} accounts are taken`);
    return { installation, account };
  }
  const door = createServer((request, response) => {
    answer(request.url).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  project.provide("dashboardSetupUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    door.close();
    // Where one did not start, each file has said so.
    await (await browser?.catch(() => null))?.close();
    await (await shared?.catch(() => null))?.end();
  };
}

async function startBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: await executable(), args: ["--no-sandbox"] });
}

export type RunningInstallation = {
  readonly installation: Installation;
  readonly accountsForFiles: FileAccount[];
  readonly end: () => Promise<void>;
};

/** @param filesCount how many accounts it makes for files */
export async function startInstallation(filesCount = 0): Promise<RunningInstallation> {
  const home = await createHome();
  try {
    const system = await startSystem(join(home, "installation"));
    const named = accounts.map((name) => ({ name, ...newToken({ name }, name, Date.now()) }));
    const forFiles = Array.from({ length: filesCount }, (_, at) =>
      newToken({ name: `file ${at + 1}` }, "flow", Date.now()),
    );
    // All at once and before the flows: while another process writes, the Worker may find the database locked.
    await executeStatements(
      { home: system.home },
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
