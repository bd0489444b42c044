import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes an archive `lib.tgz` of a package into a folder, as `npm pack` does, and a package.json and a lock file that
 * install it. Needs no registry.
 * @param text what the package's file `text` has
 * @param scripts of package.json
 */
export function writePackage(
  folder: string,
  text: string,
  scripts: Readonly<Record<string, string>> = {},
): void {
  const source = join(folder, "package");
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "lib", version: "1.0.0" }));
  writeFileSync(join(source, "text"), text);
  const archive = join(folder, "lib.tgz");
  execFileSync("tar", ["-czf", archive, "-C", folder, "package"]);
  rmSync(source, { recursive: true });
  const integrity = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  const dependencies = { lib: "file:lib.tgz" };
  const manifest = { name: "shop", version: "1.0.0", dependencies, scripts };
  const lock = {
    ...{ name: "shop", version: "1.0.0", lockfileVersion: 3, requires: true },
    packages: {
      "": { name: "shop", version: "1.0.0", hasInstallScript: true, dependencies },
      "node_modules/lib": { version: "1.0.0", resolved: "file:lib.tgz", integrity },
    },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}
