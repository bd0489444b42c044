import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";

/** The kernel's limit. */
const MOST_LINKS = 40;

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * The final target of a symbolic link. `path`: absolute and without links; if the target does not exist, the path
 * that it would have. `nowhere`: a loop of links. `unreadable`: it cannot be followed.
 */
export type LinkTarget =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "nowhere" }
  | { readonly kind: "unreadable" };

const nowhere: LinkTarget = { kind: "nowhere" };
const unreadable: LinkTarget = { kind: "unreadable" };

/**
 * Resolves a symbolic link through all further links. Never throws.
 * @param at a path at which the link can be read
 * @param link the link's own absolute path, which may be too long to read it there
 */
export async function findLinkTarget(at: string, link: string): Promise<LinkTarget> {
  try {
    return { kind: "path", path: await realpath(at) };
  } catch (error) {
    // A path through an open folder contains two more links.
    if (hasCode(error, "ELOOP") && at === link) return nowhere;
    if (!hasCode(error, "ENAMETOOLONG", "ELOOP")) return followToMissing(at);
  }
  return followInFolders(at, link).catch(() => unreadable);
}

/** Resolves a path as the kernel does, but only by name after a missing or unreadable part. */
async function followToMissing(link: string): Promise<LinkTarget> {
  let place = await realpath(dirname(link)).catch(() => "");
  if (place === "") return unreadable;
  const parts = [link.slice(link.lastIndexOf("/") + 1)];
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      place = dirname(place);
      continue;
    }
    const next = join(place, part);
    const found = await lstat(next).catch(() => null);
    if (found?.isSymbolicLink() !== true) {
      place = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return nowhere;
    const text = await readlink(next).catch(() => null);
    if (text === null) return unreadable;
    if (text.startsWith("/")) place = "/";
    parts.unshift(...text.split("/"));
  }
  return { kind: "path", path: place };
}

/**
 * Resolves a path name by name, as the kernel does, through folders whose own path is too long. Continues by name alone
 * after a missing part.
 */
async function followInFolders(at: string, link: string): Promise<LinkTarget> {
  let place = dirname(link);
  let folder: FileHandle | null = await open(`${dirname(at)}/.`, OPEN_FOLDER);
  try {
    const enter = async (path: string): Promise<void> => {
      const left: FileHandle | null = folder;
      folder = await open(path, OPEN_FOLDER);
      await left?.close();
    };
    const parts = [basename(at)];
    let links = 0;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (part === "" || part === ".") continue;
      const next = folder === null ? null : `/proc/self/fd/${folder.fd}/${part}`;
      if (part === "..") {
        place = dirname(place);
        if (next !== null) await enter(next);
        continue;
      }
      const found = next === null ? null : await lstatOrNull(next);
      if (next === null || found?.isSymbolicLink() !== true) {
        place = join(place, part);
        if (next !== null && found?.isDirectory() === true) await enter(next);
        else {
          await folder?.close();
          folder = null;
        }
        continue;
      }
      links += 1;
      if (links > MOST_LINKS) return nowhere;
      const text = await readlink(next);
      if (text.startsWith("/")) {
        place = "/";
        await enter("/");
      }
      parts.unshift(...text.split("/"));
    }
    return { kind: "path", path: place };
  } finally {
    await folder?.close();
  }
}
