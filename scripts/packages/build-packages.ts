import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import * as z from "zod";

import { root } from "../shared/root.ts";
import { packFolder } from "./archive.ts";
import { bundledPackages, licensesText } from "./bundled-packages.ts";
import { notesOf } from "./changelog.ts";
import { buildExecutable, executableName, executableNode } from "./executable.ts";
import { owner } from "./owner.ts";
import { type Package, packages, publishedName } from "./package-list.ts";
import { billOfMaterials, purlOf } from "./sbom.ts";

/** The folder with everything that a release publishes. */
export const packagesFolder = join(root, "build", "packages");

type BuildOptions = {
  readonly version: string;
  /** Is replaced. */
  readonly folder: string;
  /** Whether to make the executable too, which takes ten times as long as the rest. */
  readonly hasExecutable: boolean;
};

/**
 * Builds what a release publishes: an archive of each package, the executable, a bill of materials of each, their hashes, and
 * the notes of the release. Equal sources give equal bytes.
 * @returns the names of the files
 */
export async function buildPackages({ version, folder, hasExecutable }: BuildOptions): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = new Map<string, Buffer>();
  for (const one of packages) {
    const { archive, bill } = await buildPackage(one, version);
    files.set(`${one.name}-${version}.tgz`, archive);
    files.set(`${one.name}-${version}.cdx.json`, bill);
  }
  if (hasExecutable) {
    const path = join(folder, executableName);
    const bundled = await buildExecutable(path);
    const content = gzipSync(await readFile(path));
    await rm(path);
    files.set(`${executableName}.gz`, content);
    const node = await executableNode();
    files.set(`${executableName}.licenses.txt`, Buffer.from(licensesText(bundled) + nodeLicense(node)));
    const product = {
      ...{ name: executableName, version, description: "The command with Node" },
      purl: `pkg:generic/${executableName}@${version}`,
    };
    const bill = billOfMaterials({ ...product, sha256: sha256(content) }, bundled, [nodeOf(node)]);
    files.set(`${executableName}.cdx.json`, Buffer.from(bill));
  }
  const names = [...files.keys()].toSorted();
  const sums = names.map((name) => `${sha256(files.get(name) ?? Buffer.alloc(0))}  ${name}\n`);
  files.set("SHA256SUMS", Buffer.from(sums.join("")));
  files.set("notes.md", Buffer.from(notesOf(await readFile(join(root, "CHANGELOG.md"), "utf8"), version)));
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  return [...files.keys()];
}

/** Builds a package: its archive, with the licenses of what is bundled, and its bill of materials. */
export async function buildPackage(
  { name, description, write }: Package,
  version: string,
): Promise<{ readonly archive: Buffer; readonly bill: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-package-"));
  try {
    const published = publishedName(name);
    const bundled = await bundledPackages(await write(folder, { name: published, version }));
    await addRepository(join(folder, "package.json"));
    await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
    if (bundled.length > 0) await writeFile(join(folder, "LICENSES-BUNDLED.txt"), licensesText(bundled));
    const archive = await packFolder(folder);
    const product = {
      ...{ name: published, version, description },
      ...{ purl: purlOf(published, version), sha256: sha256(archive) },
    };
    return { archive, bill: Buffer.from(billOfMaterials(product, bundled)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names the public repository in a package.json. */
async function addRepository(path: string): Promise<void> {
  if (owner.repository === null) return;
  const manifest = z.looseObject({}).parse(JSON.parse(await readFile(path, "utf8")));
  const repository = { type: "git", url: `git+${owner.repository}.git` };
  await writeFile(path, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}

/** Where the license of Node is, with the licenses of what is in it. The package of Node does not have the text. */
function nodeLicense(version: string): string {
  return `\nIt also contains Node ${version}: https://github.com/nodejs/node/blob/v${version}/LICENSE\n`;
}

function nodeOf(version: string) {
  return { name: "node", version, license: "MIT", purl: `pkg:generic/node@${version}` };
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
