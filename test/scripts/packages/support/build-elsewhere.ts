import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { root } from "../../../../scripts/shared/root.ts";

/**
 * Calls a function of a module of scripts/packages in another process, with another working folder, umask, time zone and
 * folder for temporary files.
 * @param folder for its temporary files
 */
export function buildElsewhere(folder: string, name: string, call: string): void {
  const address = pathToFileURL(join(root, "scripts", "packages", `${name}.ts`)).href;
  const temporary = join(folder, "another folder");
  mkdirSync(temporary, { recursive: true });
  const code = `const built = await import("${address}"); await built.${call};`;
  execFileSync("sh", ["-c", 'umask 077; exec "$0" --input-type=module -e "$1"', process.execPath, code], {
    cwd: "/",
    env: { ...process.env, TZ: "Pacific/Auckland", LC_ALL: "C", TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
}
