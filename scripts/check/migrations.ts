import { cp, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";

import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";

/** As in drizzle.config.ts. */
const SCHEMA = "./src/worker/db/{schema,*-tables}.ts";

/** Generates migrations into a copy of migrations/. A new file means that the schema changed without a migration. */
export async function checkMigrations(): Promise<CommandOutcome> {
  const copy = join(root, "build", `migrations-check-${process.pid}`);
  try {
    await cp(join(root, "migrations"), copy, { recursive: true });
    const before = await sqlFiles(copy);
    const generated = await runCommand([
      "drizzle-kit",
      "generate",
      ...["--dialect", "sqlite", "--schema", SCHEMA, "--out", relative(root, copy)],
    ]);
    if (generated.code !== 0) return generated;
    const added = (await sqlFiles(copy)).filter((name) => !before.includes(name));
    if (added.length === 0) return { code: 0, output: "" };
    return {
      code: 1,
      output: `${SCHEMA} has changes without a migration. Run: npm run migration -- --name NAME`,
    };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".sql"));
}
