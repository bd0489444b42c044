import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { signInLink } from "#contract/public-paths.ts";
import { createIdGenerator } from "#contract/ids.ts";

import { executeStatements } from "../shared/execute-statements.ts";
import type { Statement } from "../shared/first-token.ts";
import { Problem } from "../shared/problem.ts";
import { newSignInCode, SIGN_IN_MINUTES } from "../shared/sign-in-code.ts";
import { bold, dim, print, step, yellow } from "../shared/terminal.ts";
import { CloudflareAccount } from "./cloudflare-account.ts";
import { createDatabase, deployWorker, migrateDatabase } from "./cloudflare.ts";
import { readNames } from "../shared/deploy-configuration.ts";
import { isInstallation, refuseForeignDomain } from "./domain.ts";
import type { ReleaseOptions } from "./options.ts";
import { createBucket, decidePlace, enableReplicas, findDatabase, type Place } from "./place.ts";
import { describeReading, readingRegion } from "./reading-region.ts";

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
  const place = await prepareDatabase(options);
  const addresses = await step("building and deploying the Worker", async () => ({
    value: await deployWorker(options, place),
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
  if (isReady && !options["no-wait"]) await showReadingRegion(url);
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

/** Creates the database and the bucket if they are missing, migrates, and enables the database's replicas. */
async function prepareDatabase(options: ReleaseOptions): Promise<Place> {
  const names = await readNames();
  const account = await CloudflareAccount.connect(names.account);
  const found = await findDatabase(account, names.database);
  const place = decidePlace(options, found);
  const database = await step("migrating the database", async () => {
    if (found === null) {
      // The bucket first: an interrupted release is repeated until the database exists. Without a region or jurisdiction,
      // wrangler creates the bucket.
      if (place.location !== null || place.jurisdiction !== null)
        await createBucket(account, names.bucket, place);
      await createDatabase(names.database, place);
    }
    await migrateDatabase();
    return {
      value: found ?? (await findDatabase(account, names.database)),
      done: `Database ${found === null ? "created" : "migrated"}`,
    };
  });
  if (database === null)
    throw new Problem("The database was created, but Cloudflare does not list it. Release again.");
  const problem = await step("enabling read replication", async () => {
    const value = await enableReplicas(account, database);
    return { value, done: value === null ? "Read replication is on" : "Read replication is off" };
  });
  if (problem !== null)
    print(
      `${yellow("!")} Read replication could not be enabled, so every read goes to the database itself. Cloudflare says: ${problem}\n  Give the token permission to edit D1 and release again, or enable it in Cloudflare's dashboard: D1, ${names.database}, Settings.`,
    );
  return place;
}

/** Shows which copy of the database serves the reads from here. */
async function showReadingRegion(url: string): Promise<void> {
  await step("reading from the nearest copy of the database", async () => ({
    value: null,
    done: describeReading(await readingRegion(url)),
  }));
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
