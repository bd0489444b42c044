import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { hasCode } from "#agent/has-code.ts";

/** As the kernel counts. */
const MOST_LINKS = 40;

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
    if (hasCode(error, "ELOOP")) return nowhere;
    if (!hasCode(error, "ENAMETOOLONG")) return followToMissing(at);
  }
  const text = await readlink(at).catch(() => null);
  if (text === null) return unreadable;
  // Nobody can open a path that is too long as a whole, so its names are enough as far as it is.
  const path = resolve(dirname(link), text);
  return { kind: "path", path: await realpath(path).catch(() => path) };
}

/** As the kernel resolves a path, but goes on by name alone where nothing is there or nothing may be looked at. */
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
