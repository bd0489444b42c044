import { execFile } from "node:child_process";
import { copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { DebianMachine } from "./debian-machine.ts";

const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** Installs this machine's npm, which Debian's package of Node does not have, with the authorities that it trusts. */
export async function installNpm(machine: DebianMachine): Promise<void> {
  const { stdout } = await promisify(execFile)("npm", ["root", "--global"]);
  const modules = `${machine.root}/usr/local/lib/node_modules`;
  await mkdir(modules, { recursive: true });
  await cp(join(stdout.trim(), "npm"), join(modules, "npm"), { recursive: true });
  for (const name of ["npm", "npx"])
    await machine.tell(`ln -s ../lib/node_modules/npm/bin/${name}-cli.js /usr/local/bin/${name}`);
  await copyFile(AUTHORITIES, `${machine.root}/usr/local/share/authorities.crt`);
  await machine.write("/usr/local/etc/npmrc", "cafile=/usr/local/share/authorities.crt\n");
}
