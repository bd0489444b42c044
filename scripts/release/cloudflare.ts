import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as z from "zod";

import { Problem } from "../shared/problem.ts";
import { buildReleaseBundle, deployReleaseBundle } from "../shared/release-bundle.ts";
import { type CommandOutcome, quietWrangler, runCommand, type RunOutcome } from "../shared/run-command.ts";
import { writeDeployConfiguration } from "../shared/deploy-configuration.ts";
import type { ReleaseOptions } from "./options.ts";
import type { Place } from "./place.ts";

/** Creates the database in its region or jurisdiction. */
export async function createDatabase(name: string, { location, jurisdiction }: Place): Promise<void> {
  const where = [
    ...(location === null ? [] : ["--location", location]),
    ...(jurisdiction === null ? [] : ["--jurisdiction", jurisdiction]),
  ];
  await wrangler(["d1", "create", name, ...where], "creating the database");
}

/** Applies the missing migrations. Safe to repeat. */
export async function migrateDatabase(): Promise<void> {
  await wrangler(["d1", "migrations", "apply", "DB", "--remote"], "migrating the database");
}

/** What wrangler writes about a deployment to the file of WRANGLER_OUTPUT_FILE_PATH. */
const Deployed = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/** Builds and deploys the Worker. wrangler creates the log bucket if it does not exist. @returns the Worker's addresses */
export async function deployWorker(
  options: ReleaseOptions,
  { location, jurisdiction }: Place,
): Promise<string[]> {
  const { domain, "base-domain": baseDomain, "security-contact": securityContact, plan } = options;
  const folder = await mkdtemp(join(tmpdir(), "gantry-release-"));
  const notes = join(folder, "notes.ndjson");
  try {
    const bundle = join(folder, "bundle");
    const built = await buildReleaseBundle(bundle);
    if (!built.ok) throw new Problem(`building the Worker failed:\n${built.output}`);
    const config = await writeDeployConfiguration(folder, jurisdiction);
    await wrangler(
      [
        ...deployReleaseBundle(bundle, config),
        ...(jurisdiction === null ? [] : ["--var", `JURISDICTION:${jurisdiction}`]),
        ...(location === null ? [] : ["--var", `LOCATION:${location}`]),
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

function refuseFailure({ code, output }: CommandOutcome, doing: string): void {
  if (code !== 0) throw new Problem(`${doing} failed. wrangler says:\n${output.trim()}${hintFor(output)}`);
}

function hintFor(output: string): string {
  return output.includes("CLOUDFLARE_API_TOKEN")
    ? "\n\nSign in to Cloudflare: npx wrangler login. Or set CLOUDFLARE_API_TOKEN."
    : "";
}
