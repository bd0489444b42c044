import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

import { answersWithFallback, encodedPath } from "#agent/ingress/fallback.ts";
import { acceptsCoding, type Coding, codings, PART } from "#agent/ingress/packed-files.ts";
import { isHiddenFile, ruleFiles } from "#build/site-rules/source-files.ts";
import { findPage } from "#agent/sites/find-page.ts";
import type { OpenRelease } from "#agent/sites/open-release.ts";
import type { TrailingSlash } from "#contract/endpoints/projects/settings.ts";

/** A file that may be served. `urlPath`: where it is in the site, decoded, with its full name. */
export type SiteFound = {
  readonly path: string;
  readonly stats: Stats;
  readonly urlPath: string;
  /** How the file is compressed, if it answers for the file that it contains. */
  readonly coding?: Coding;
};

/** The result for a request's path. `redirect`: the page has another address. */
export type FileResult =
  | ({ readonly kind: "file" } & SiteFound)
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "missing" };

const missing: FileResult = { kind: "missing" };

/** A path of a request. `parts`: decoded. */
export type SitePath = { readonly parts: readonly string[]; readonly hasSlash: boolean };

/**
 * Finds the file of a path in a release, or the address of its page. A file is only found if its real path is in the release
 * or in the project's shared folder. Never throws.
 * @param acceptEncoding the header of the request
 */
export async function findFile(
  projectDirectory: string,
  release: OpenRelease,
  { parts, hasSlash }: SitePath,
  mode: TrailingSlash,
  acceptEncoding = "",
): Promise<FileResult> {
  if (isHiddenPath(release, parts)) return missing;
  const found = await findPage(mode, parts, hasSlash, (at) => lookForFile(projectDirectory, release, at));
  switch (found.kind) {
    case "file":
      return { kind: "file", ...found.file };
    case "redirect":
      return { kind: "redirect", location: addressOf(found) };
    case "missing":
      if (hasSlash || !PART.test(`/${parts.join("/")}`)) return missing;
      return findPacked(parts, acceptEncoding, (at) => lookForFile(projectDirectory, release, at));
  }
}

/** Finds a file that exists only packed, in a coding that the request accepts. */
async function findPacked(
  parts: readonly string[],
  acceptEncoding: string,
  findAt: (parts: readonly string[]) => Promise<SiteFound | null>,
): Promise<FileResult> {
  for (const coding of codings) {
    if (!acceptsCoding(coding).test(acceptEncoding)) continue;
    const file = await findAt([...parts.slice(0, -1), `${parts.at(-1) ?? ""}${coding.ending}`]);
    if (file !== null) return { kind: "file", ...file, coding };
  }
  return missing;
}

/**
 * Finds the page that answers for a path whose file is missing, in a single-page app.
 * @param accept the header of the request; undefined without one
 */
export async function findFallback(
  projectDirectory: string,
  release: OpenRelease,
  { parts }: SitePath,
  accept: string | undefined,
): Promise<SiteFound | null> {
  const { fallback } = release.rules;
  if (fallback === null || isHiddenPath(release, parts)) return null;
  if (!answersWithFallback(`/${parts.join("/")}`, accept)) return null;
  return lookForFile(projectDirectory, release, fallback.split("/"));
}

/** Built from the parts: a path such as //other.example would redirect the browser to another host. */
function addressOf({ parts, hasSlash }: SitePath): string {
  const path = `/${encodedPath(parts.join("/"))}`;
  return hasSlash && path !== "/" ? `${path}/` : path;
}

function isHiddenPath({ showsSources }: OpenRelease, parts: readonly string[]): boolean {
  if (parts.some(isHidden) || (showsSources && isHiddenFile(parts.join("/")))) return true;
  const [name = "", ...others] = parts;
  return others.length === 0 && ruleFiles.includes(name);
}

/** @returns the page of the release for missing files; `missing` without one */
export function findNotFoundPage(projectDirectory: string, release: OpenRelease): Promise<SiteFound | null> {
  return lookForFile(projectDirectory, release, ["404.html"]);
}

/**
 * @param urlPath percent-encoded, without the query
 * @returns `null` for an invalid path: bad percent-encoding, a NUL character, an encoded `..`
 */
export function readPath(urlPath: string): SitePath | null {
  const parts = decodePath(urlPath);
  return parts === null ? null : { parts, hasSlash: /(?:\/|%2f)$/i.test(urlPath) };
}

function decodePath(urlPath: string): string[] | null {
  if (!urlPath.startsWith("/")) return null;
  try {
    const parts = decodeURIComponent(urlPath)
      .split("/")
      .filter((part) => part !== "");
    return parts.some((part) => part === ".." || part.includes("\0")) ? null : parts;
  } catch {
    return null;
  }
}

/** The decoded parts of a path without hidden ones; null for an invalid path, and for one with hidden parts. */
export function visibleParts(urlPath: string): readonly string[] | null {
  const parts = decodePath(urlPath);
  return parts === null || parts.some(isHidden) ? null : parts;
}

function isHidden(part: string): boolean {
  return part.startsWith(".") && part !== ".well-known";
}

/** @returns the file at these parts of a path; null without one */
async function lookForFile(
  projectDirectory: string,
  release: OpenRelease,
  parts: readonly string[],
): Promise<SiteFound | null> {
  const found = await look(projectDirectory, release, join(release.documentRoot, ...parts));
  return found?.stats.isFile() === true ? { ...found, urlPath: `/${parts.join("/")}` } : null;
}

async function look(
  projectDirectory: string,
  release: OpenRelease,
  path: string,
): Promise<{ path: string; stats: Stats } | null> {
  try {
    const real = await realpath(path);
    if (!(await isServable(projectDirectory, release, real))) return null;
    return { path: real, stats: await stat(real) };
  } catch {
    return null;
  }
}

/**
 * A link may lead anywhere on the server, even to the git mirror with its credentials, so only these folders are
 * served.
 */
async function isServable(projectDirectory: string, release: OpenRelease, real: string): Promise<boolean> {
  // Starts with the innermost folder, because a document root may be inside a dot folder, such as `.output/public`.
  for (const folder of [release.documentRoot, release.folder, join(projectDirectory, "shared")]) {
    const realFolder = await realpath(folder).catch(() => null);
    if (realFolder === null || !isInside(projectDirectory, realFolder, real)) continue;
    return !relative(realFolder, real).split(sep).some(isHidden);
  }
  return false;
}

function isInside(projectDirectory: string, folder: string, real: string): boolean {
  const below = (parent: string, child: string) => child === parent || child.startsWith(parent + sep);
  return below(projectDirectory, folder) && below(folder, real);
}
