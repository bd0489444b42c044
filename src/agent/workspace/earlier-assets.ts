import { copyFile, link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

import * as z from "zod/mini";

import { hasHashedName } from "#agent/ingress/hashed-name.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { fileExists } from "#node/file-exists.ts";
import { hasCode } from "#node/has-code.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * A release whose files with hashed names are kept, in `assets/<version>`. `endedAt`: when another one replaced it, in Unix
 * milliseconds; null: it is live. `bytes`: of the files that no release before it had.
 */
const Kept = z.object({ version: ReleaseVersion, endedAt: z.nullable(z.number()), bytes: z.number() });
export type KeptAssets = z.infer<typeof Kept>;

/** `projects/<id>/assets.json`. The newest release first. */
const AssetsFile = z.object({ overlapSeconds: z.number(), kept: z.array(Kept) });
type AssetsFile = z.infer<typeof AssetsFile>;

/** How many releases are kept however often somebody deploys, and how many bytes of them. The live one counts too. */
export const MAX_KEPT = 20;
export const MAX_KEPT_BYTES = 1024 ** 3;

/** The most files of one release that are kept, so that a deployment does not take long. */
const MAX_FILES = 20_000;

/** The releases to keep: the live one, and those that ended within the overlap, as far as the limits allow. */
export function decideKept(
  kept: readonly KeptAssets[],
  now: number,
  overlapSeconds: number,
): readonly KeptAssets[] {
  let bytes = 0;
  const wanted = kept.filter(({ endedAt }) => endedAt === null || endedAt + overlapSeconds * 1000 > now);
  return wanted.slice(0, MAX_KEPT).filter((one) => {
    bytes += one.bytes;
    return one.endedAt === null || bytes <= MAX_KEPT_BYTES;
  });
}

/**
 * Keeps the files with hashed names of the release that is live now, as hard links, so that a browser with its pages gets
 * them after the next switch too, also if the release is removed. Drops what is no longer needed. Safe to repeat.
 * @param previous the release that was live before, for which this may not have been done; null: none, or it is gone
 * @throws the file system's error
 */
export async function keepAssets(
  folder: ProjectFolder,
  release: Release,
  previous: Release | null,
  { now, overlapSeconds }: { readonly now: number; readonly overlapSeconds: number },
): Promise<void> {
  if (overlapSeconds === 0) return removeAssets(folder);
  const { kept } = await readAssets(folder);
  const others = kept.filter(({ version }) => version !== release.version);
  const ended = others.map((one) => ({ ...one, endedAt: one.endedAt ?? now }));
  if (previous !== null && !kept.some(({ version }) => version === previous.version)) {
    const bytes = await linkAssets(folder, previous, ended[0]?.version ?? null);
    ended.unshift({ version: previous.version, endedAt: now, bytes });
  }
  const bytes = await linkAssets(folder, release, ended[0]?.version ?? null);
  const known = kept.find(({ version }) => version === release.version)?.bytes ?? 0;
  const live: KeptAssets = { version: release.version, endedAt: null, bytes: Math.max(bytes, known) };
  await dropOthers(folder, { overlapSeconds, kept: [...decideKept([live, ...ended], now, overlapSeconds)] });
}

/** Drops the files of releases whose overlap is over. @throws the file system's error */
export async function expireAssets(folder: ProjectFolder, now: number): Promise<void> {
  const { overlapSeconds, kept } = await readAssets(folder);
  const left = decideKept(kept, now, overlapSeconds);
  if (left.length < kept.length) await dropOthers(folder, { overlapSeconds, kept: [...left] });
}

export async function removeAssets(folder: ProjectFolder): Promise<void> {
  await rm(folder.assetsIndex, { force: true });
  await removeTree(folder.assets);
}

async function readAssets(folder: ProjectFolder): Promise<AssetsFile> {
  return (await readJsonFile(folder.assetsIndex, AssetsFile)) ?? { overlapSeconds: 0, kept: [] };
}

/** Without an entry, a folder is dropped at the next time. */
async function dropOthers(folder: ProjectFolder, file: AssetsFile): Promise<void> {
  await writeAtomic(folder.assetsIndex, JSON.stringify(file));
  const versions = new Set(file.kept.map(({ version }) => String(version)));
  for (const name of await readdir(folder.assets).catch(() => []))
    if (!versions.has(name)) await removeTree(join(folder.assets, name));
}

/** @param before a release that may have the same files @returns the bytes of the files that it does not have */
async function linkAssets(folder: ProjectFolder, release: Release, before: number | null): Promise<number> {
  const target = join(folder.assets, String(release.version));
  const root = join(releasePath(folder, release.version), release.root_directory);
  let bytes = 0;
  let count = 0;
  for (const { from, at } of await assetFolders(root, release))
    for await (const path of hashedFiles(from, at)) {
      count += 1;
      if (count > MAX_FILES) return bytes;
      const to = join(target, path);
      const source = join(from, posix.relative(at, path));
      const same = before === null ? null : join(folder.assets, String(before), path);
      await mkdir(dirname(to), { recursive: true });
      if (same !== null && (await haveEqualSizes(same, source)) && (await linkFile(same, to))) continue;
      if (await linkFile(source, to)) bytes += (await stat(to)).size;
    }
  return bytes;
}

/** @returns whether the file is there now. A file that cannot be read is left out. */
async function linkFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return true;
    // The file may belong to the project's user, to whose files the agent may not make links.
    return copyFile(from, to).then(
      () => true,
      () => false,
    );
  }
}

async function haveEqualSizes(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a?.isFile() === true && a.size === b?.size;
}

/** A folder with files for visitors, and where they are in the site. */
type AssetFolder = { readonly from: string; readonly at: string };

/** Where servers have the files that they show to everybody, relative to the root directory. */
const publicFolders: readonly AssetFolder[] = [
  { from: "public", at: "" },
  { from: ".next/static", at: "_next/static" },
  { from: ".output/public", at: "" },
  { from: "build/client", at: "" },
  { from: "dist/client", at: "" },
  { from: "dist/public", at: "" },
  { from: "dist/assets", at: "assets" },
  { from: "priv/static", at: "" },
  { from: "wwwroot", at: "" },
];

/** Django's, which its manifest marks. */
const MANIFEST = "staticfiles.json";
const djangoFolders = ["staticfiles", "static", "static_root", "collected_static", "assets"];

async function assetFolders(root: string, release: Release): Promise<readonly AssetFolder[]> {
  if (release.published !== false) return [{ from: join(root, release.output_directory), at: "" }];
  const collected = djangoFolders.map(async (from) =>
    (await fileExists(join(root, from, MANIFEST))) ? [{ from, at: "static" }] : [],
  );
  const own = release.output_directory === "." ? [] : [{ from: release.output_directory, at: "" }];
  const all = [...own, ...publicFolders, ...(await Promise.all(collected)).flat()];
  return all.map(({ from, at }) => ({ from: join(root, from), at }));
}

/** The paths in the site of the files in a folder that have hashed names. Links are left out, and so is what is hidden. */
async function* hashedFiles(folder: string, at: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = posix.join(at, entry.name);
    if (entry.isDirectory()) yield* hashedFiles(join(folder, entry.name), path);
    else if (entry.isFile() && hasHashedName(`/${path}`)) yield path;
  }
}

/** Finds the file of an earlier release at a path, which has no hidden parts. @returns its real place; null without one. */
export async function findEarlierAsset(
  assets: string,
  parts: readonly string[],
): Promise<{ readonly version: string; readonly path: string; readonly urlPath: string } | null> {
  const urlPath = `/${parts.join("/")}`;
  if (!hasHashedName(urlPath)) return null;
  for (const version of await readdir(assets).catch(() => [])) {
    const path = join(assets, version, ...parts);
    if ((await stat(path).catch(() => null))?.isFile() === true) return { version, path, urlPath };
  }
  return null;
}
