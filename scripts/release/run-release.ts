import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { signInLink } from "#contract/dashboard-paths.ts";
import { createIdGenerator } from "#contract/ids.ts";

import { executeStatements } from "../shared/execute-statements.ts";
import type { Statement } from "../shared/first-token.ts";
import { Problem } from "../shared/problem.ts";
import { newSignInCode, SIGN_IN_MINUTES } from "../shared/sign-in-code.ts";
import { bold, dim, print, step, yellow } from "../shared/terminal.ts";
import { deployWorker, ensureDatabase, migrateDatabase } from "./cloudflare.ts";
import { isInstallation, refuseForeignDomain } from "./domain.ts";
import type { ReleaseOptions } from "./options.ts";

/** A new name takes its time to be known everywhere, and a new domain's certificate to be made. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 2_000;

/**
 * Installs Gantry in the user's Cloudflare account, or updates it. The database is migrated first: the Worker of before
 * works with its new tables, and the new one not without them.
 * @throws Problem with what wrangler says
 */
export async function runRelease(options: ReleaseOptions): Promise<void> {
  await refuseForeignDomain(options);
  await step("looking for the database", async () => {
    const isNew = await ensureDatabase();
    return { value: null, done: `Database ${isNew ? "made" : "found"}` };
  });
  await step("migrating the database", async () => {
    await migrateDatabase();
    return { value: null, done: "Database migrated" };
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
      "The Worker is deployed, but has no address: say one with --domain, or switch workers.dev on for it.",
    );
  const isUp = options["no-wait"] || (await waitUntilUp(url));
  const link = options["no-link"] ? null : await makeSignInLink(url);
  print();
  print(`  ${dim("API      ")}  ${bold(`${url}/v1`)}`);
  if (link !== null) {
    print(`  ${dim("dashboard")}  ${bold(link)}`);
    print(
      dim(`             the link signs in once, within ${SIGN_IN_MINUTES} minutes; another one is made by`),
    );
  } else print(dim("             a link to sign in is made by"));
  print(`             npm run sign-in -- --remote --url ${url}`);
  if (!isUp)
    print(
      `${yellow("!")} It does not answer there yet. A new name takes some minutes until it is known everywhere.`,
    );
}

async function waitUntilUp(url: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  return step("waiting until it answers", async () => {
    while (!(await isInstallation(url))) {
      if (Date.now() > deadline) return { value: false, done: "Not reached yet" };
      await pause(INTERVAL_MS);
    }
    return { value: true, done: `It answers at ${url}` };
  });
}

/** Makes the first account where there is none. @returns null where there are several */
async function makeSignInLink(url: string): Promise<string | null> {
  return step("making a link to sign in", async () => {
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
    return { value: isOnly ? signInLink(url, code) : null, done: "Signing in is possible" };
  });
}
