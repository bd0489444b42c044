import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "./root.ts";

/** What a package is named in npm, and its version. */
export type PackageName = { readonly name: string; readonly version: string };

type PackageFiles = {
  /** What its package.json has besides the license and that it is a module. */
  readonly manifest: PackageName & { readonly [field: string]: unknown };
  /** The texts of its files by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** The folder of src/ with its README.md. */
  readonly part: "cli" | "agent" | "library";
};

/** Writes the folder of a package, for `npm pack`. @param folder is replaced */
export async function writePackage(folder: string, { manifest, files, part }: PackageFiles): Promise<void> {
  const { name, version, description, ...others } = manifest;
  const written = {
    ...{ name, version, description, license: "MIT", type: "module" },
    ...others,
    files: Object.keys(files),
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(folder, file), text);
    if (text.startsWith("#!")) await chmod(join(folder, file), 0o755);
  }
  await writeFile(join(folder, "package.json"), `${JSON.stringify(written, null, 2)}\n`);
  await cp(join(root, "src", part, "README.md"), join(folder, "README.md"));
}
