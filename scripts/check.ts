import * as z from "zod";

import { checkActionBundle } from "./check/action-bundle.ts";
import { checkScalingTables } from "./check/scaling-tables.ts";
import { checkMigrations } from "./check/migrations.ts";
import { checkOpenApi } from "./check/open-api.ts";
import { checkPackageHashes } from "./check/package-hashes.ts";
import { checkPlainWords } from "./check/plain-words.ts";
import { checkProblemTable } from "./check/problem-table.ts";
import { checkProcessTables } from "./check/process-tables.ts";
import { checkRoleTable } from "./check/role-table.ts";
import { checkScopeTable } from "./check/scope-table.ts";
import { checkClientSize, checkDashboardSize, checkWorkerBundle } from "./check/sizes.ts";
import { checkTrackedFiles } from "./check/tracked-files.ts";
import { isText, sampleFiles, trackedFiles } from "./check/tracked-texts.ts";
import { Problem } from "./shared/problem.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "./shared/run-command.ts";
import { option, runScript, wholeNumber } from "./shared/script.ts";
import { bold, dim, formatDuration, green, print, red } from "./shared/terminal.ts";
import { formatSources, generateBindingTypes } from "./shared/tools.ts";

type Check = {
  readonly name: string;
  /** `note` is printed if the check passes. */
  readonly run: () => Promise<CommandOutcome & { readonly note?: string }>;
  readonly fix?: string;
};

/** The slowest checks come first. */
const checks: readonly Check[] = [
  { name: "types", run: () => runCommand(["tsc", "-b"]) },
  { name: "lint", run: () => runCommand(["oxlint", "-f", "unix"]) },
  {
    name: "binding types match wrangler.toml",
    run: () => runCommand([...generateBindingTypes, "--check"], { env: quietWrangler }),
    fix: "npm run types",
  },
  {
    name: "format",
    run: () => runCommand([...formatSources, "--check"]),
    fix: "npm run format",
  },
  { name: "migrations are consistent", run: () => runCommand(["drizzle-kit", "check"]) },
  { name: "migrations are up to date", run: checkMigrations },
  { name: "the OpenAPI document is clean", run: checkOpenApi },
  { name: "docs/api.md lists every problem", run: checkProblemTable, fix: "npm run reference" },
  { name: "docs/tokens.md lists every scope", run: checkScopeTable, fix: "npm run reference" },
  { name: "docs/members.md lists what each role may call", run: checkRoleTable, fix: "npm run reference" },
  { name: "docs/processes.md lists every key and field", run: checkProcessTables, fix: "npm run reference" },
  { name: "docs/scaling.md has the measured counts", run: checkScalingTables, fix: "npm run reference" },
  { name: "the action's bundle is up to date and small", run: checkActionBundle, fix: "npm run reference" },
  { name: "the Worker's bundle is small and starts fast", run: checkWorkerBundle },
  { name: "the dashboard's first page is small", run: checkDashboardSize },
  { name: "the client for programs is small", run: checkClientSize },
  { name: "every text uses plain words", run: checkPlainWords },
  { name: "no paths or names of one machine are tracked", run: checkTrackedFiles },
  { name: "every package that this system installs has a hash", run: checkPackageHashes },
];

const options = z.object({
  sample: option(
    "SEED",
    "run no checks, but print 30 files to read, selected by this number",
    wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  ),
});

async function runChecks({ sample }: z.output<typeof options>): Promise<void> {
  if (sample !== undefined) {
    for (const path of sampleFiles((await trackedFiles()).filter(isText), sample)) print(path);
    return;
  }
  const waiting = checks.values();
  let failed = 0;
  const runWaiting = async (): Promise<void> => {
    for (const check of waiting) if (!(await runCheck(check))) failed += 1;
  };
  // Two at a time: most checks use one core.
  await Promise.all([runWaiting(), runWaiting()]);
  if (failed > 0) throw new Problem(`${failed} of ${checks.length} checks failed`);
}

/** Runs a check and prints its outcome. @returns whether it passed */
async function runCheck({ name, run, fix }: Check): Promise<boolean> {
  const startedAt = performance.now();
  const { code, output, note } = await run();
  const took = dim(formatDuration(performance.now() - startedAt));
  if (code === 0) {
    print(`${green("✓")} ${name}${note === undefined ? "" : `: ${note}`} ${took}`);
    return true;
  }
  print(`${red("✗")} ${bold(name)} ${took}`);
  print(output.trim());
  if (fix !== undefined) print(dim(`  fix it with: ${fix}`));
  return false;
}

await runScript(
  {
    usage: "npm run check -- [options]",
    summary:
      "Checks types, lint, format, generated files, texts, the sizes of the Worker and the dashboard, and the Worker's start.",
    options,
  },
  runChecks,
);
