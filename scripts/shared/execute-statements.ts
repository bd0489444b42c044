import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import * as z from "zod";

import { renderStatement, type Statement } from "./first-token.ts";
import { Problem } from "./problem.ts";
import { readJsonOutput } from "./read-json-output.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "./run-command.ts";
import { resolveHome } from "./script.ts";

/** The database of an installation: in a home of `npm start`, or in a Cloudflare account. */
export type DatabaseTarget = { readonly home: string } | "remote";

const MAX_TRIES = 5;

/** What `wrangler d1 execute --json` prints: an entry for each statement. */
const Executed = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

/**
 * Runs statements with wrangler, which reaches both kinds of databases. They must be safe to repeat.
 * @returns the rows of each statement
 * @throws Problem with wrangler's output
 */
export async function executeStatements(
  target: DatabaseTarget,
  statements: readonly Statement[],
): Promise<Record<string, unknown>[][]> {
  const where =
    target === "remote" ? ["--remote"] : ["--local", "--persist-to", resolve(target.home, "state")];
  const sql = statements.map(renderStatement).join(" ");
  // wrangler would create an empty database.
  if (target !== "remote" && !existsSync(join(target.home, "state"))) throw noInstallation(target);
  const execute = () =>
    runCommand(["wrangler", "d1", "execute", "DB", ...where, "--yes", "--json", "--command", sql], {
      env: quietWrangler,
    });
  let { code, output, stdout } = await execute();
  // A running Worker may be writing to the same database.
  for (let tries = 1; output.includes("SQLITE_BUSY") && tries < MAX_TRIES; tries += 1)
    ({ code, output, stdout } = await execute());
  if (code !== 0) {
    if (output.includes("no such table") || isDatabaseMissing({ code, output })) throw noInstallation(target);
    throw new Problem(`wrangler could not write to the database:\n${output.trim()}`);
  }
  return readJsonOutput(stdout, Executed).map(({ results }) => results);
}

/** Whether wrangler failed because the account does not have the database. */
function isDatabaseMissing({ code, output }: CommandOutcome): boolean {
  return code !== 0 && output.includes("Couldn't find a D1 DB");
}

function noInstallation(target: DatabaseTarget): Problem {
  if (target === "remote")
    return new Problem("There is no installation in your Cloudflare account yet: npm run release makes one.");
  const command = target.home === resolveHome() ? "npm start" : `npm start -- --home ${target.home}`;
  return new Problem(`There is no installation in ${target.home} yet: ${command} makes one.`);
}
