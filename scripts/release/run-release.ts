import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { signInLink } from "#contract/public-paths.ts";
import { createIdGenerator } from "#contract/ids.ts";

import { executeStatements } from "../shared/execute-statements.ts";
import type { Statement } from "../shared/first-token.ts";
import { Problem } from "../shared/problem.ts";
import { newSignInCode, SIGN_IN_MINUTES } from "../shared/sign-in-code.ts";
import { bold, dim, print, step, yellow } from "../shared/terminal.ts";
import { deployWorker, migrateDatabase } from "./cloudflare.ts";
import { isInstallation, refuseForeignDomain } from "./domain.ts";
import type { ReleaseOptions } from "./options.ts";

/** A new DNS record takes time to spread, and a new domain's certificate to be issued. */
const READY_TIMEOUT_MS = 60_000;
const INTERVAL_MS = 2_000;

/**
 * Installs Gantry in the user's Cloudflare account, or updates it. The database is migrated first: the old Worker works
 * with the new tables, but the new Worker does not work without them.
 * @throws Problem with wrangler's output
 */
export async function runRelease(options: ReleaseOptions): Promise<void> {
  await refuseForeignDomain(options);
  await step("migrating the database", async () => {
    const isNew = await migrateDatabase();
    return { value: null, done: `Database ${isNew ? "created" : "migrated"}` };
  });
  const addresses = await step("building and deploying the Worker", async () => ({
    value: await deployWorker(options),
    done: "Worker deployed",
  }));
  const url =
    addresses.find((address) => address === `https://${options.domain}`) ??
    addresses.find((address) => address.endsWith(".workers.dev"));
  if (url === undefined)
    throw new Problem(
      "The Worker is deployed, but has no address. Pass one with --domain, or enable workers.dev for the Worker.",
    );
  const isReady = options["no-wait"] || (await waitUntilReady(url));
  const link = options["no-link"] ? null : await makeSignInLink(url);
  print();
  print(`  ${dim("API      ")}  ${bold(`${url}/v1`)}`);
  if (link !== null) {
    print(`  ${dim("dashboard")}  ${bold(link)}`);
    print(dim(`             the link works once, within ${SIGN_IN_MINUTES} minutes; for another link, run`));
  } else print(dim("             for a link that signs in, run"));
  print(`             npm run sign-in -- --remote --url ${url}`);
  if (!isReady)
    print(
      `${yellow("!")} The installation does not respond there yet. A new domain may take some minutes to work everywhere.`,
    );
}

async function waitUntilReady(url: string): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  return step("waiting for the installation", async () => {
    while (!(await isInstallation(url))) {
      if (Date.now() > deadline) return { value: false, done: "No response yet" };
      await pause(INTERVAL_MS);
    }
    return { value: true, done: `The installation responds at ${url}` };
  });
}

/** Creates the first account if there is none. @returns null if there are several accounts */
async function makeSignInLink(url: string): Promise<string | null> {
  return step("creating a sign-in link", async () => {
    const now = Date.now();
    const { code, statement } = newSignInCode("only", now);
    const ids = createIdGenerator({ now: () => now, randomBytes });
    const firstAccount: Statement = {
      sql: "INSERT INTO accounts (id, name, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM accounts)",
      parameters: [ids.account(), "main", now],
    };
    const count: Statement = { sql: "SELECT id FROM accounts LIMIT 2", parameters: [] };
    const results = await executeStatements("remote", [firstAccount, statement, count]);
    const isOnly = results.at(-1)?.length === 1;
    return { value: isOnly ? signInLink(url, code) : null, done: "Sign-in link created" };
  });
}
