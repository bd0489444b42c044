import { readlink, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

import { findLinkTarget } from "#agent/workspace/link-target.ts";
import { type TreeLink, visitLinks } from "#agent/workspace/tree-links.ts";

/** A symbolic link as it lies in a release, and what stands in it. */
export type LeavingLink = { readonly path: string; readonly text: string };

/** All that leave, of which only the first are named. */
export type LeavingLinks = { readonly count: number; readonly first: readonly LeavingLink[] };

export type LinkedRelease = {
  /** The release's folder, the agent's home and the project's shared folder; absolute. */
  readonly release: string;
  readonly home: string;
  readonly shared: string;
  /** The project's root directory and the folder that is published; relative to the release. */
  readonly root: string;
  readonly output: string;
  /** Paths of the release whose files have just become what is shared there: nobody has looked at their links yet. */
  readonly copies: readonly string[];
};

const MOST_NAMED = 20;
/** Each round finds folders that the one before has shown to be published as well. */
const MOST_ROUNDS = 8;

/** Where packages put programs and libraries. Everybody may read them, and links to them are common. */
const programFolders = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/opt",
  "/nix/store",
  "/snap",
];

/** Where package and version managers keep what they link to, in the home of the user that runs the agent. */
const toolFolders = [
  ...[".cache", ".local/share", ".local/bin", ".local/lib", ".local/pipx", ".local/state"],
  ...[".npm", ".nvm", ".nodenv", ".volta", ".fnm", ".bun", ".deno", ".pnpm-store", ".yarn"],
  ...[".pyenv", ".rbenv", ".rvm", ".gem", ".phpenv", ".goenv", "go", ".cargo", ".rustup", ".asdf", ".sdkman"],
];

type Place = "release" | "programs" | "tools" | "home" | "elsewhere";

/**
 * Finds the symbolic links by which a release would show what is not its own. A web server that follows links reads
 * whatever the agent's user or its group may read. What is published may lead only within the release and to the shared
 * folder; where the whole project is published, to programs as well. Everything else in a release may lead anywhere but
 * into the agent's home.
 * @param signal ends it: not all links have been looked at then
 */
export async function findLeavingLinks(linked: LinkedRelease, signal: AbortSignal): Promise<LeavingLinks> {
  const places = await readPlaces(linked);
  const exposed = new Set<string>([places.output]);
  for (let round = 1; ; round += 1) {
    const end = await look(places, exposed, round > MOST_ROUNDS, signal);
    if (signal.aborted) return end.leaving;
    const isDecided = end.opened.size === 0 || !end.hasTolerated || round > MOST_ROUNDS;
    if (end.leaving.count > 0 || isDecided) return end.leaving;
    for (const path of end.opened) exposed.add(path);
  }
}

type Places = {
  readonly release: string;
  readonly home: string;
  readonly shared: string;
  readonly output: string;
  readonly isAllPublished: boolean;
  readonly copies: readonly string[];
};

async function readPlaces(linked: LinkedRelease): Promise<Places> {
  const release = await realpath(linked.release);
  // Of a release that lacks it, as one that was damaged, nothing is taken for unpublished.
  const output = await realpath(join(release, linked.root, linked.output)).catch(() => release);
  return {
    release,
    output,
    copies: linked.copies,
    home: await realpath(linked.home),
    // There need not be one yet, and it lies beside the folder of releases.
    shared: await realpath(linked.shared).catch(() => join(dirname(dirname(release)), "shared")),
    isAllPublished: output === (await realpath(join(release, linked.root)).catch(() => release)),
  };
}

type Look = {
  readonly leaving: LeavingLinks;
  /** Folders and files that links of what is published lead to, and that were not taken for published. */
  readonly opened: ReadonlySet<string>;
  /** Whether anything leaves that only what is published may not lead to. */
  readonly hasTolerated: boolean;
};

/** @param isAllExposed takes everything for published */
async function look(
  places: Places,
  exposed: ReadonlySet<string>,
  isAllExposed: boolean,
  signal: AbortSignal,
): Promise<Look> {
  const first: LeavingLink[] = [];
  const opened = new Set<string>();
  let count = 0;
  let hasTolerated = false;
  const visit = async (tree: string, { path: inTree, at }: TreeLink): Promise<void> => {
    if (signal.aborted) return;
    const link = join(tree, inTree);
    const target = await findLinkTarget(at, link);
    if (target.kind === "nowhere") return;
    const own = ownPath(places, link);
    const path = relative(places.release, own);
    const isExposed = isAllExposed || isPublished(places, exposed, own);
    // What cannot be followed from here may lead anywhere.
    const place = target.kind === "unreadable" ? "home" : placeOf(places, target.path);
    if (place === "release") {
      if (isExposed && target.kind === "path" && !isPublished(places, exposed, target.path))
        opened.add(ownPath(places, target.path));
      return;
    }
    const isAllowed = isExposed ? place === "programs" && places.isAllPublished : place !== "home";
    if (isAllowed) {
      hasTolerated ||= !isExposed;
      return;
    }
    count += 1;
    if (first.length < MOST_NAMED) first.push({ path, text: await readlink(at).catch(() => "") });
  };
  for (const tree of [places.release, ...places.copies.map((copy) => join(places.shared, copy))])
    await visitLinks(tree, (link) => visit(tree, link));
  return { leaving: { count, first }, opened, hasTolerated };
}

/** Where a file was in the release, if it has just become shared. */
function ownPath({ release, shared, copies }: Places, path: string): string {
  const isCopy = copies.some((copy) => isBelow(join(shared, copy), path));
  return isCopy ? join(release, relative(shared, path)) : path;
}

function placeOf({ release, shared, home }: Places, target: string): Place {
  if (isBelow(release, target) || isBelow(shared, target)) return "release";
  if (isBelow(home, target))
    return toolFolders.some((folder) => isBelow(join(home, folder), target)) ? "tools" : "home";
  return programFolders.some((folder) => isBelow(folder, target)) ? "programs" : "elsewhere";
}

/** @param exposed real paths in the release: what a web server shows, by itself or through links */
function isPublished(places: Places, exposed: ReadonlySet<string>, found: string): boolean {
  const { release, output, shared, isAllPublished } = places;
  const path = ownPath(places, found);
  if (isBelow(shared, path)) return true;
  for (let folder = path; folder.length >= release.length; folder = dirname(folder)) {
    if (!exposed.has(folder)) continue;
    // A project that is published as a whole has folders that no web server should show, such as `.venv`.
    const isHidden =
      isAllPublished && folder === output && relative(output, path).split(sep).some(isHiddenName);
    if (!isHidden) return true;
  }
  return false;
}

function isHiddenName(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
