import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { writeAtomic } from "#node/write-atomic.ts";

import { readJsonOutput } from "./shared/read-json-output.ts";
import { runCommand } from "./shared/run-command.ts";
import { noOptions, runScript } from "./shared/script.ts";
import { print } from "./shared/terminal.ts";

const Lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({})) });
const Entry = z.object({
  name: z.optional(z.string()),
  version: z.string(),
  integrity: z.optional(z.string()),
  link: z.optional(z.literal(true)),
  inBundle: z.optional(z.literal(true)),
});

async function completeLock(): Promise<void> {
  const path = join(process.cwd(), "package-lock.json");
  const lock = Lock.parse(JSON.parse(await readFile(path, "utf8")));
  const missing: string[] = [];
  let completed = 0;

  for (const [place, value] of Object.entries(lock.packages)) {
    const entry = Entry.safeParse(value);
    if (!place.includes("node_modules/") || !entry.success) continue;
    const { name = place.slice(place.lastIndexOf("node_modules/") + 13), version, ...rest } = entry.data;
    if (rest.integrity !== undefined || rest.link === true || rest.inBundle === true) continue;
    const spec = `${name}@${version}`;
    const { code, stdout } = await runCommand(["npm", "view", spec, "dist", "--json"], {
      cwd: process.cwd(),
    });
    const integrity =
      code === 0 ? readJsonOutput(stdout, z.object({ integrity: z.string() })).integrity : null;
    if (integrity === null) missing.push(spec);
    else {
      // npm writes the hash after the version.
      const { version: _, ...after } = value;
      lock.packages[place] = { version, integrity, ...after };
      completed += 1;
    }
  }

  if (completed > 0) await writeAtomic(path, `${JSON.stringify(lock, null, 2)}\n`, { uniqueDraft: true });
  print(`${completed} hashes written into package-lock.json`);
  for (const spec of missing) print(`  the registry has no hash of ${spec}`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}

await runScript(
  {
    usage: "npx node scripts/complete-lock.ts",
    summary: `Adds missing hashes to package-lock.json, from this machine's registry. Some registries lack the packages of other
systems, so CI runs this: its registry is complete.`,
    options: noOptions,
  },
  completeLock,
);
