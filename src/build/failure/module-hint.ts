import { readdir, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { type FileLimit, readDataFile } from "#build/tree/read-data-file.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";

/** Where a command ran. `folder`: in `release`; both absolute. */
export type FailurePlace = { readonly release: string; readonly folder: string };

/** What Node and bundlers say about a package or a file of it that they did not find. */
const missingPatterns: readonly RegExp[] = [
  /Failed to resolve entry for package "([^"\n]{1,214})"/,
  /Cannot find (?:module|package) '([^'\n]{1,1000})'/,
  /Module not found: (?:Error: )?Can't resolve '([^'\n]{1,214})'/,
  /(?:Rollup failed to resolve import|Could not resolve|Failed to resolve import) ["']([^"'\n]{1,214})["']/,
];

const LIMIT: FileLimit = { bytes: 512 * 1024, text: "512 KiB", hint: "" };

/** Yarn and pnpm write one of these for Plug'n'Play. */
const pnpFiles = [".pnp.cjs", ".pnp.js"];

/** Under Plug'n'Play, Node has another message, and bundlers find the packages. */
const NOT_FOUND_BY_NODE = /Cannot find (?:module|package) '[^'./][^'\n]*'(?! or its)/;

const PNP =
  "The packages are installed by Plug'n'Play, without node_modules, so Node finds them only if the package manager starts it. Write `yarn node` instead of `node` in the command, or `nodeLinker: node-modules` into .yarnrc.yml.";

/**
 * What to do about a package that was not found, if the files of the release say more than the output: it belongs to the
 * repository and was not built, or it is installed by Plug'n'Play.
 */
export async function moduleHint(output: string, place: FailurePlace): Promise<string | null> {
  const found = missingPatterns.map((pattern) => pattern.exec(output)?.[1]).find((one) => one !== undefined);
  if (found === undefined || found.startsWith(".")) return null;
  const release = await realpath(place.release).catch(() => null);
  const folder = await realpath(place.folder).catch(() => null);
  if (release === null || folder === null) return null;
  const above = foldersUpTo(release, folder);
  const member = await repositoryPackage(release, above, found);
  if (member !== null && member !== folder) return await unbuiltHint(release, folder, member);
  const other = found.startsWith("/")
    ? await otherCaseHint(release, found)
    : await otherFolderHint(output, { release, folder }, found);
  if (other !== null) return other;
  if (!NOT_FOUND_BY_NODE.test(output)) return null;
  for (const upper of above)
    for (const name of pnpFiles) if ((await lstatOrNull(join(upper, name))) !== null) return PNP;
  return null;
}

/** The folder and those above it, up to the release. */
function foldersUpTo(release: string, folder: string): readonly string[] {
  const folders = [folder];
  let last = folder;
  while (last !== release && last.startsWith(release)) {
    last = dirname(last);
    folders.push(last);
  }
  return folders;
}

/** The folder of the repository that a package is linked to, or that a missing file belongs to; null if there is none. */
async function repositoryPackage(
  release: string,
  above: readonly string[],
  found: string,
): Promise<string | null> {
  if (found.startsWith("/")) {
    const named = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)(?:\/|$)/.exec(found)?.[1];
    const target = named === undefined ? found : await realpath(named).catch(() => null);
    if (target === null || !target.startsWith(`${release}/`) || target.includes("/node_modules/"))
      return null;
    for (const folder of foldersUpTo(release, named === undefined ? dirname(target) : target))
      if (folder !== release && (await lstatOrNull(join(folder, "package.json"))) !== null) return folder;
    return null;
  }
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(found) ?? [];
  for (const folder of above) {
    const target = await realpath(join(folder, "node_modules", name)).catch(() => null);
    if (target === null) continue;
    return target.startsWith(`${release}/`) && !target.includes("/node_modules/") ? target : null;
  }
  return null;
}

/** A file of the repository whose name differs in upper and lower case, which macOS and Windows take for the same. */
async function otherCaseHint(release: string, found: string): Promise<string | null> {
  // The output has the path that the command ran in, which a link may lead to.
  const inside = /\/releases\/\d+\/(.+)$/.exec(found)?.[1] ?? relative(release, found);
  const parts = inside.split("/");
  if (parts.includes("..") || parts.includes("node_modules")) return null;
  let folder = release;
  for (const [at, part] of parts.entries()) {
    const names = await readdir(folder).catch(() => []);
    const isLast = at === parts.length - 1;
    const same = (name: string) => name === part || (isLast && name.startsWith(`${part}.`));
    if (names.some(same)) {
      folder = join(folder, part);
      continue;
    }
    const alike = names.find((name) => {
      const [a, b] = [name.toLowerCase(), part.toLowerCase()];
      return a === b || (isLast && a.replace(/\.[^.]+$/, "") === b);
    });
    if (alike === undefined) return null;
    const place = relative(release, join(folder, alike));
    return `The repository has ${place}, and the import says ${part}: Linux tells upper and lower case apart. Correct the import, or rename with \`git mv\`.`;
  }
  return null;
}

/** A package that another package.json of the repository lists, whose packages are not installed. */
async function otherFolderHint(
  output: string,
  { release, folder }: FailurePlace,
  found: string,
): Promise<string | null> {
  const file = /(?:imported from |Require stack:\s*- )(\/[^\n']{1,1000})/.exec(output)?.[1];
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(found) ?? [];
  if (file === undefined || !file.startsWith(`${folder}/`) || file.includes("/node_modules/")) return null;
  for (const inner of foldersUpTo(folder, dirname(file))) {
    if (inner === folder || !inner.startsWith(release)) return null;
    const read = await readDataFile(inner, "package.json", "package.json", LIMIT);
    const manifest = parseRelaxedObject(read.ok ? (read.value ?? "") : "");
    if (objectOf(manifest["dependencies"])[name] === undefined) continue;
    const place = relative(folder, inner);
    return `The package ${name} is in ${place}/package.json, whose packages are not installed. Set root_directory to the folder ${place}, or install_command to \`npm install && npm install --prefix ${place}\`.`;
  }
  return null;
}

async function unbuiltHint(release: string, folder: string, member: string): Promise<string> {
  const read = await readDataFile(member, "package.json", "package.json", LIMIT);
  const manifest = parseRelaxedObject(read.ok ? (read.value ?? "") : "");
  const place = relative(release, member);
  const { name } = manifest;
  const what = `The package ${typeof name === "string" ? name : place} is a part of this repository, in ${place}, and was not built.`;
  if (typeof objectOf(manifest["scripts"])["build"] !== "string")
    return `${what} It has no script build: add one, or set build_command to what builds it first.`;
  const build = `npm run build --prefix ${relative(folder, member)}`;
  return `${what} Set build_command to build it first, such as \`${build} && npm run build\`, or to what runs the whole build, such as \`npx turbo run build\` or \`npx nx build\`.`;
}
