import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { lstatOrNull } from "#agent/workspace/inside-release.ts";

/** As the kernel counts. */
const MOST_LINKS = 40;

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Where a symbolic link leads in the end. `path`: absolute and without any link in it; where nothing is there yet, the
 * place at which it would be. `nowhere`: a link to itself. `unreadable`: it cannot be followed from here.
 */
export type LinkTarget =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "nowhere" }
  | { readonly kind: "unreadable" };

const nowhere: LinkTarget = { kind: "nowhere" };
const unreadable: LinkTarget = { kind: "unreadable" };

/**
 * Follows a symbolic link through all links on the way. Never throws.
 * @param at where it can be read
 * @param link its own path, which may be too long for that; absolute
 */
export async function findLinkTarget(at: string, link: string): Promise<LinkTarget> {
  try {
    return { kind: "path", path: await realpath(at) };
  } catch (error) {
    // Through an open folder there are two links more.
    if (hasCode(error, "ELOOP") && at === link) return nowhere;
    if (!hasCode(error, "ENAMETOOLONG", "ELOOP")) return followToMissing(at);
  }
  return followInFolders(at, link).catch(() => unreadable);
}

/** Resolves a path as the kernel does, but by its names alone where a part is missing or unreadable. */
async function followToMissing(link: string): Promise<LinkTarget> {
  let place: string;
  try {
    place = await realpath(dirname(link));
  } catch {
    return unreadable;
  }
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
 * As the kernel resolves a path, one name after the other: it can lead through folders whose own path is too long. Goes on
 * by name alone where nothing is there.
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
