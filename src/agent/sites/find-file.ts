import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

import type { OpenRelease } from "#agent/sites/open-release.ts";

/** What a request's path stands for. `redirect`: a directory, asked for without its slash. */
export type Found =
  | { readonly kind: "file"; readonly path: string; readonly stats: Stats }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "missing" }
  | { readonly kind: "malformed" };

const missing: Found = { kind: "missing" };

/**
 * Finds the file that `urlPath` (still percent-encoded, without the query) names in a release.
 * A file is found only if its real path lies in the release or in the project's shared folder.
 * Never throws.
 */
export async function findFile(
  projectDirectory: string,
  release: OpenRelease,
  urlPath: string,
): Promise<Found> {
  const parts = decodePath(urlPath);
  if (parts === null) return { kind: "malformed" };
  if (parts.some(isHidden)) return missing;

  const isDirectoryPath = urlPath.endsWith("/");
  const asked = await look(projectDirectory, release, join(release.documentRoot, ...parts));
  if (asked === null) return missing;
  if (asked.stats.isFile()) return isDirectoryPath ? missing : { kind: "file", ...asked };
  if (!asked.stats.isDirectory()) return missing;

  const index = await look(projectDirectory, release, join(asked.path, "index.html"));
  if (index === null || !index.stats.isFile()) return missing;
  if (isDirectoryPath) return { kind: "file", ...index };
  // Built from the parts: a path such as //elsewhere.example would otherwise send the browser to another host.
  return { kind: "redirect", location: `/${parts.map(encodeURIComponent).join("/")}/` };
}

/** @returns `null` for what cannot be a path: bad percent-encoding, a NUL character, a `..` that was encoded. */
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

/** A link may lead anywhere on the server, the git mirror with its credentials included: only two folders are open. */
async function isServable(projectDirectory: string, release: OpenRelease, real: string): Promise<boolean> {
  // From the narrowest: a document root may itself lie below a dot folder, such as `.output/public`.
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
