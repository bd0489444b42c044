import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as z from "zod";

import { Problem } from "../shared/problem.ts";
import { readJsonOutput } from "../shared/read-json-output.ts";
import { root } from "../shared/root.ts";
import { quietWrangler, runCommand } from "../shared/run-command.ts";
import type { ReleaseOptions } from "./options.ts";

/** What `wrangler d1 list --json` prints. */
const Databases = z.array(z.object({ name: z.string() }));

/** What of wrangler.toml is needed here; wrangler leaves it untyped. */
const Configuration = z.object({ d1_databases: z.tuple([z.object({ database_name: z.string() })]) });

/** The database as wrangler.toml calls it; its id is another one in each account. */
async function databaseName(): Promise<string> {
  const { unstable_readConfig } = await import("wrangler");
  const { d1_databases } = Configuration.parse(unstable_readConfig({ config: join(root, "wrangler.toml") }));
  return d1_databases[0].database_name;
}

/** Sees to it that the account has the database. @returns whether it was made now */
export async function ensureDatabase(): Promise<boolean> {
  const wanted = await databaseName();
  const listed = await wrangler(["d1", "list", "--json"], "reading the account's databases");
  const databases = readJsonOutput(listed, Databases);
  if (databases.some(({ name }) => name === wanted)) return false;
  await wrangler(["d1", "create", wanted], "making the database");
  return true;
}

/** Brings its tables up to date; safe to repeat. */
export async function migrateDatabase(): Promise<void> {
  await wrangler(["d1", "migrations", "apply", "DB", "--remote"], "migrating the database");
}

/** What wrangler notes of a deploy where WRANGLER_OUTPUT_FILE_PATH says. */
const Deployed = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/** Builds the Worker and deploys it; wrangler makes the bucket of the logs where there is none. @returns its addresses */
export async function deployWorker(options: ReleaseOptions): Promise<string[]> {
  const { domain, "base-domain": baseDomain, "security-contact": securityContact } = options;
  const folder = await mkdtemp(join(tmpdir(), "gantry-release-"));
  const notes = join(folder, "notes.ndjson");
  try {
    await wrangler(
      [
        "deploy",
        ...(domain === null ? [] : ["--domain", domain, "--var", `PUBLIC_URL:https://${domain}`]),
        ...(baseDomain === null ? [] : ["--var", `BASE_DOMAIN:${baseDomain}`]),
        ...(securityContact === null ? [] : ["--var", `SECURITY_CONTACT:${securityContact}`]),
      ],
      "deploying the Worker",
      { WRANGLER_OUTPUT_FILE_PATH: notes },
    );
    const lines = (await readFile(notes, "utf8")).split("\n").filter((line) => line !== "");
    const deployed = lines.map((line) => Deployed.safeParse(JSON.parse(line))).find(({ success }) => success);
    return (deployed?.data?.targets ?? []).map(addressOf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** wrangler tells a custom domain as `gantry.example.com (custom domain)`, and triggers among the addresses. */
function addressOf(target: string): string {
  const [place = ""] = target.split(" ");
  return place.startsWith("https://") ? place : `https://${place}`;
}

/** @returns what it printed on stdout. @throws Problem with that when it fails */
async function wrangler(
  args: readonly string[],
  doing: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const { code, output, stdout } = await runCommand(["wrangler", ...args], {
    env: { ...quietWrangler, ...environment },
  });
  if (code !== 0) throw new Problem(`${doing} failed. wrangler says:\n${output.trim()}${hintFor(output)}`);
  return stdout;
}

function hintFor(output: string): string {
  return output.includes("CLOUDFLARE_API_TOKEN")
    ? "\n\nSign in to Cloudflare: npx wrangler login. Or set CLOUDFLARE_API_TOKEN."
    : "";
}
