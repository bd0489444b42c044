import { createWriteStream } from "node:fs";
import { link, lstat, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";

import * as z from "zod/mini";

import { hasHashedName } from "#agent/ingress/hashed-name.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { holdFolder } from "#agent/workspace/held-folder.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { ReleaseVersion } from "#contract/agent-order.ts";
import { storedAs } from "#contract/stored.ts";
import { fileExists } from "#node/file-exists.ts";
import { hasCode } from "#node/has-code.ts";
import { READ_FILE } from "#node/open-flags.ts";
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
const storedAssets = storedAs(AssetsFile);

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
  return (await readJsonFile(folder.assetsIndex, storedAssets)) ?? { overlapSeconds: 0, kept: [] };
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
  const files = releasePath(folder, release.version);
  let bytes = 0;
  let count = 0;
  for (const { from, at } of await assetFolders(join(files, release.root_directory), release))
    await inFolder(files, partsOf(join(release.root_directory, from)), async (held) => {
      await eachHashedFile(held, at, async (path, source) => {
        count += 1;
        if (count > MAX_FILES || bytes > MAX_KEPT_BYTES) return;
        const to = join(target, path);
        const same = before === null ? null : join(folder.assets, String(before), path);
        await mkdir(dirname(to), { recursive: true });
        if (same !== null && (await haveEqualSizes(same, source)) && (await linkFile(same, to))) return;
        if (await linkFile(source, to)) bytes += (await stat(to)).size;
      });
    });
  return bytes;
}

const partsOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".");

/**
 * Runs an action in a folder of a release, if it exists and no part of its path is a link. A process of the project may
 * replace the folders at any time, but the action works in the folder that was found.
 */
async function inFolder(
  base: string,
  parts: readonly string[],
  act: (held: string) => Promise<void>,
): Promise<void> {
  let isEntered = false;
  try {
    await holdFolder(base, "read", async (held) => {
      isEntered = true;
      const [next, ...others] = parts;
      await (next === undefined ? act(held) : inFolder(join(held, next), others, act));
    });
  } catch (error) {
    if (isEntered || !hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) throw error;
  }
}

/**
 * Links or copies a file. The project can replace it with a link to a file that only the agent may read, so what was made
 * is looked at, also what an earlier run has made.
 * @returns whether the file is there now. A file that cannot be read is left out.
 */
async function linkFile(from: string, to: string): Promise<boolean> {
  const isThere = await link(from, to).then(
    () => true,
    // The file may belong to the project's user, to whose files the agent may not make links.
    (error: unknown) => hasCode(error, "EEXIST") || copyRegularFile(from, to),
  );
  if (!isThere || (await lstat(to)).isFile()) return isThere;
  await rm(to, { force: true });
  return false;
}

async function copyRegularFile(from: string, to: string): Promise<boolean> {
  const source = await open(from, READ_FILE).catch(() => null);
  if (source === null) return false;
  try {
    if (!(await source.stat()).isFile()) return false;
    await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(to, { flags: "wx" }));
    return true;
  } finally {
    await source.close();
  }
}

async function haveEqualSizes(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a?.isFile() === true && a.size === b?.size;
}

/** A folder with files for visitors, relative to the root directory, and where they are in the site. */
type AssetFolder = { readonly from: string; readonly at: string };

/** Where servers have the files that they show to everybody. */
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
  if (release.published !== false) return [{ from: release.output_directory, at: "" }];
  const collected = djangoFolders.map(async (from) =>
    (await fileExists(join(root, from, MANIFEST))) ? [{ from, at: "static" }] : [],
  );
  const own = release.output_directory === "." ? [] : [{ from: release.output_directory, at: "" }];
  return [...own, ...publicFolders, ...(await Promise.all(collected)).flat()];
}

/**
 * Runs an action for each file in a folder that has a hashed name, with its path in the site. Links are left out, and so is
 * what is hidden.
 */
async function eachHashedFile(
  folder: string,
  at: string,
  act: (path: string, source: string) => Promise<void>,
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = posix.join(at, entry.name);
    const source = join(folder, entry.name);
    if (entry.isDirectory()) await inFolder(source, [], (held) => eachHashedFile(held, path, act));
    else if (entry.isFile() && hasHashedName(`/${path}`)) await act(path, source);
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
