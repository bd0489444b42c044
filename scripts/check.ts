import { checkBundleSize } from "./check/bundle-size.ts";
import { checkDashboardSize } from "./check/dashboard-size.ts";
import { checkMigrations } from "./check/migrations.ts";
import { checkOpenApi } from "./check/open-api.ts";
import { checkPackageHashes } from "./check/package-hashes.ts";
import { checkProblemTable } from "./check/problem-table.ts";
import { checkTrackedFiles } from "./check/tracked-files.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "./shared/run-command.ts";
import { bold, dim, formatDuration, green, print, red } from "./shared/terminal.ts";

type Check = {
  readonly name: string;
  /** `note` is worth saying where all is well. */
  readonly run: () => Promise<CommandOutcome & { readonly note?: string }>;
  readonly fix?: string;
};

/** Those that take longest come first. */
const checks: readonly Check[] = [
  { name: "types", run: () => runCommand(["tsc", "-b"]) },
  { name: "lint", run: () => runCommand(["oxlint", "-f", "unix"]) },
  {
    name: "binding types are those of wrangler.toml",
    run: () =>
      runCommand(["wrangler", "types", "--include-runtime=false", "--check", "src/worker/env.d.ts"], {
        env: quietWrangler,
      }),
    fix: "npm run types",
  },
  {
    name: "format",
    run: () => runCommand(["oxfmt", "--check", "src", "test", "scripts", "bench"]),
    fix: "npm run format",
  },
  { name: "migrations are consistent", run: () => runCommand(["drizzle-kit", "check"]) },
  { name: "migrations are up to date", run: checkMigrations },
  { name: "the OpenAPI document is clean", run: checkOpenApi },
  { name: "docs/api.md lists every problem", run: checkProblemTable, fix: "npm run reference" },
  { name: "the Worker's bundle is small", run: checkBundleSize },
  { name: "the dashboard's first page is small", run: checkDashboardSize },
  { name: "nothing of one machine is tracked", run: checkTrackedFiles },
  { name: "every package that is installed here has a hash", run: checkPackageHashes },
];

let failed = 0;
const waiting = checks.values();

/** Runs one check after the other to its end: one that fails does not hide the others. */
async function runChecks(): Promise<void> {
  for (const { name, run, fix } of waiting) {
    const startedAt = performance.now();
    const { code, output, note } = await run();
    const took = dim(formatDuration(performance.now() - startedAt));
    if (code === 0) print(`${green("✓")} ${name}${note === undefined ? "" : `: ${note}`} ${took}`);
    else {
      failed += 1;
      print(`${red("✗")} ${bold(name)} ${took}`);
      print(output.trim());
      if (fix !== undefined) print(dim(`  fix it with: ${fix}`));
    }
  }
}

// Most of them use one core.
await Promise.all([runChecks(), runChecks()]);
if (failed > 0) {
  print(red(`${failed} of ${checks.length} checks failed`));
  process.exit(1);
}
