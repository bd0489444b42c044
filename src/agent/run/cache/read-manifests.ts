import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { READ_FILE } from "#node/open-flags.ts";
import { copiesFolder, dependsOnFolder } from "#agent/cache/copied-folders.ts";
import { isNodeModules, type Survey } from "#agent/cache/survey-release.ts";
import { installScripts, lockFiles } from "#project-files/frameworks/install-steps.ts";
import { toolFiles } from "#project-files/frameworks/tools/find-requests.ts";
import { decodeText } from "#build/tree/decode-text.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The files that an installation reads, in any folder: a workspace has a manifest in each package. */
const readNames: ReadonlySet<string> = new Set([
  ...toolFiles,
  ...lockFiles,
  ...["package.json", ".npmrc", "binding.gyp", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...[".yarnrc", ".yarnrc.yml", "bunfig.toml", "composer.json", "auth.json", "Gemfile", "gems.rb"],
  ...["pyproject.toml", "uv.toml", "poetry.toml", "Pipfile"],
]);
/** Patches of packages, plugins of yarn, settings of Bundler. */
const readFolders = /(?:^|\/)(?:patches|\.yarn|\.bundle)\//;
/** @prisma/client and gems of the repository are generated from these. */
const readEndings = /\.(?:prisma|gemspec)$/;

/** The content of the files that an installation reads. */
export type Manifests = {
  /** SHA-256 over the names and the content of all of them. */
  readonly digest: string;
  /** The install scripts of each package that has some, by its folder in the release. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
  /** A package that depends on another folder of the repository, whose files do not count in the digest. */
  readonly folderDependency: string | null;
  /** npm copies such a folder instead of linking it. */
  readonly isCopiedByNpm: boolean;
  /** A file by which an installation copies a folder, with whatever package manager. */
  readonly copiedFolder: string | null;
  /** Settings of a package manager mention `ignore-scripts`, which they may turn on. */
  readonly mayIgnoreScripts: boolean;
};

/** The files in which package managers can be told to run no scripts. */
const scriptSettings: ReadonlySet<string> = new Set([
  ".npmrc",
  ".yarnrc",
  "pnpm-workspace.yaml",
  "bunfig.toml",
]);

/** A larger file is no manifest. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the files that an installation reads. Follows no link: a link's target may change while the link stays the same.
 * @returns why the dependencies of this repository cannot be kept, if not
 */
export async function readManifests(
  release: string,
  { paths, links, isComplete }: Survey,
): Promise<ResultOf<Manifests, { readonly reason: string }>> {
  const refuse = (reason: string) => ({ ok: false, reason }) as const;
  if (!isComplete) return refuse("it has too many files, or folders that are nested too deeply");
  const hash = createHash("sha256");
  const scripts = new Map<string, ReadonlySet<string>>();
  let folderDependency: string | null = null;
  let isCopiedByNpm = false;
  let copiedFolder: string | null = null;
  let mayIgnoreScripts = false;
  for (const path of [...paths].toSorted()) {
    if (isNodeModules(path)) return refuse(`the repository has \`${path}\``);
    if (!isRead(path)) continue;
    if (links.has(path)) return refuse(`\`${path}\` is a symbolic link`);
    const content = await readPlainFile(join(release, path));
    if (content === null) continue;
    if (content.length > MAX_FILE_BYTES) return refuse(`\`${path}\` is too large`);
    hash.update(JSON.stringify([path, content.length])).update(content);
    const [name, folder] = [basename(path), dirname(path)];
    if (copiesFolder(name, content)) copiedFolder ??= path;
    if (scriptSettings.has(name)) mayIgnoreScripts ||= /ignore-?scripts/i.test(content.toString("utf8"));
    if (name === ".npmrc")
      isCopiedByNpm ||= /^[ \t]*install-links[ \t]*=[ \t]*true/m.test(content.toString("utf8"));
    // npm compiles a package with this file, as if it had an `install` script.
    if (name === "binding.gyp") scripts.set(folder, new Set([...(scripts.get(folder) ?? []), "install"]));
    if (name !== "package.json") continue;
    const manifest = parseRelaxedObject(decodeText(content).text);
    const found = scriptsOf(manifest);
    if (found.length > 0) scripts.set(folder, new Set([...(scripts.get(folder) ?? []), ...found]));
    if (dependsOnFolder(manifest)) folderDependency ??= path;
  }
  const digest = hash.digest("hex");
  const copies = { folderDependency, isCopiedByNpm, copiedFolder };
  return succeed({ digest, scripts, ...copies, mayIgnoreScripts });
}

/** Whether an installation may read the file, so that other content may lead to another result. */
function isRead(path: string): boolean {
  return readNames.has(basename(path)) || readEndings.test(path) || readFolders.test(path);
}

/** @returns null for a folder */
async function readPlainFile(path: string): Promise<Buffer | null> {
  const file = await open(path, READ_FILE);
  try {
    const found = await file.stat();
    if (!found.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(found.size, MAX_FILE_BYTES + 1));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

type Manifest = Readonly<Record<string, unknown>>;

function scriptsOf(manifest: Manifest): readonly string[] {
  return Object.keys(objectOf(manifest["scripts"])).filter((name) => installScripts.includes(name));
}
