import { checkMigrations } from "./check/migrations.ts";
import { checkTrackedFiles } from "./check/tracked-files.ts";
import { type CommandOutcome, quietWrangler, runCommand } from "./parts/run-command.ts";
import { bold, dim, formatDuration, green, print, red } from "./parts/terminal.ts";

type Check = { readonly name: string; readonly run: () => Promise<CommandOutcome>; readonly mend?: string };

const checks: readonly Check[] = [
  {
    name: "binding types are those of wrangler.toml",
    run: () =>
      runCommand(["wrangler", "types", "--include-runtime=false", "--check", "src/worker/env.d.ts"], {
        env: quietWrangler,
      }),
    mend: "npm run types",
  },
  { name: "types", run: () => runCommand(["tsc", "-b"]) },
  { name: "lint", run: () => runCommand(["oxlint", "-f", "unix"]) },
  {
    name: "format",
    run: () => runCommand(["oxfmt", "--check", "src", "test", "scripts", "bench"]),
    mend: "npm run format",
  },
  { name: "migrations are consistent", run: () => runCommand(["drizzle-kit", "check"]) },
  { name: "migrations are up to date", run: checkMigrations },
  { name: "nothing of one machine is tracked", run: checkTrackedFiles },
];

/** Runs every check to its end: one that fails does not hide the others. */
let failed = 0;
for (const { name, run, mend } of checks) {
  const startedAt = performance.now();
  const { code, output } = await run();
  const took = dim(formatDuration(performance.now() - startedAt));
  if (code === 0) print(`${green("✓")} ${name} ${took}`);
  else {
    failed += 1;
    print(`${red("✗")} ${bold(name)} ${took}`);
    print(output.trim());
    if (mend !== undefined) print(dim(`  mend it with: ${mend}`));
  }
}
if (failed > 0) {
  print(red(`${failed} of ${checks.length} checks failed`));
  process.exit(1);
}
