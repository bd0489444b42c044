import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as z from "zod";

import { isDatabaseMissing } from "../shared/execute-statements.ts";
import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { quietWrangler, runCommand, type RunOutcome } from "../shared/run-command.ts";
import type { ReleaseOptions } from "./options.ts";

/** The part of wrangler.toml that is used here. wrangler has no types for it. */
const Configuration = z.object({ d1_databases: z.tuple([z.object({ database_name: z.string() })]) });

/** The name of the database in wrangler.toml. Its id differs between accounts. */
async function databaseName(): Promise<string> {
  const { unstable_readConfig } = await import("wrangler");
  const { d1_databases } = Configuration.parse(unstable_readConfig({ config: join(root, "wrangler.toml") }));
  return d1_databases[0].database_name;
}

/**
 * Applies the missing migrations, and creates the database if the account does not have it. Safe to repeat.
 * @returns whether the database was created now
 */
export async function migrateDatabase(): Promise<boolean> {
  const migrate = ["d1", "migrations", "apply", "DB", "--remote"];
  const doing = "migrating the database";
  const migrated = await runWrangler(migrate);
  const isNew = isDatabaseMissing(migrated);
  if (isNew) {
    await wrangler(["d1", "create", await databaseName()], "creating the database");
    await wrangler(migrate, doing);
  } else refuseFailure(migrated, doing);
  return isNew;
}

/** What wrangler writes about a deployment to the file of WRANGLER_OUTPUT_FILE_PATH. */
const Deployed = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/** Builds and deploys the Worker. wrangler creates the log bucket if it does not exist. @returns the Worker's addresses */
export async function deployWorker(options: ReleaseOptions): Promise<string[]> {
  const { domain, "base-domain": baseDomain, "security-contact": securityContact, plan } = options;
  const folder = await mkdtemp(join(tmpdir(), "gantry-release-"));
  const notes = join(folder, "notes.ndjson");
  try {
    await wrangler(
      [
        "deploy",
        ...(domain === null ? [] : ["--domain", domain, "--var", `PUBLIC_URL:https://${domain}`]),
        ...(baseDomain === null ? [] : ["--var", `BASE_DOMAIN:${baseDomain}`]),
        ...(securityContact === null ? [] : ["--var", `SECURITY_CONTACT:${securityContact}`]),
        ...(plan === null ? [] : ["--var", `WORKERS_PLAN:${plan}`]),
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

/** wrangler lists a custom domain as `gantry.example.com (custom domain)`, and triggers among the addresses. */
function addressOf(target: string): string {
  const [place = ""] = target.split(" ");
  return place.startsWith("https://") ? place : `https://${place}`;
}

/** @throws Problem with wrangler's output if it fails */
async function wrangler(
  args: readonly string[],
  doing: string,
  environment: Record<string, string> = {},
): Promise<void> {
  refuseFailure(await runWrangler(args, environment), doing);
}

function runWrangler(args: readonly string[], environment: Record<string, string> = {}): Promise<RunOutcome> {
  return runCommand(["wrangler", ...args], { env: { ...quietWrangler, ...environment } });
}

function refuseFailure({ code, output }: RunOutcome, doing: string): void {
  if (code !== 0) throw new Problem(`${doing} failed. wrangler says:\n${output.trim()}${hintFor(output)}`);
}

function hintFor(output: string): string {
  return output.includes("CLOUDFLARE_API_TOKEN")
    ? "\n\nSign in to Cloudflare: npx wrangler login. Or set CLOUDFLARE_API_TOKEN."
    : "";
}
