import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

import { isHiddenFile } from "#agent/ingress/source-files.ts";
import type { OpenRelease } from "#agent/sites/open-release.ts";

/** The result for a request's path. `urlPath`: decoded. `redirect`: a directory was requested without a final slash. */
export type Found =
  | { readonly kind: "file"; readonly path: string; readonly stats: Stats; readonly urlPath: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "missing" }
  | { readonly kind: "malformed" };

const missing: Found = { kind: "missing" };

/**
 * Finds the file for `urlPath` (still percent-encoded, without the query) in a release. A file is only found if its
 * real path is in the release or in the project's shared folder. Never throws.
 */
export async function findFile(
  projectDirectory: string,
  release: OpenRelease,
  urlPath: string,
): Promise<Found> {
  const parts = decodePath(urlPath);
  if (parts === null) return { kind: "malformed" };
  if (parts.some(isHidden)) return missing;
  if (release.showsSources && parts.some(isHiddenFile)) return missing;

  const isDirectoryPath = urlPath.endsWith("/");
  const target = await look(projectDirectory, release, join(release.documentRoot, ...parts));
  if (target === null) return missing;
  if (target.stats.isFile())
    return isDirectoryPath ? missing : { kind: "file", ...target, urlPath: `/${parts.join("/")}` };
  if (!target.stats.isDirectory()) return missing;

  const index = await look(projectDirectory, release, join(target.path, "index.html"));
  if (index === null || !index.stats.isFile()) return missing;
  if (isDirectoryPath) return { kind: "file", ...index, urlPath };
  // Built from the parts: a path such as //other.example would redirect the browser to another host.
  return { kind: "redirect", location: `/${parts.map(encodeURIComponent).join("/")}/` };
}

/** @returns `null` for an invalid path: bad percent-encoding, a NUL character, an encoded `..` */
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

function isHidden(part: string): boolean {
  return part.startsWith(".") && part !== ".well-known";
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
