import { readlink, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

import { findLinkTarget } from "#build/tree/link-target.ts";
import { type TreeLink, visitLinks } from "#build/tree/tree-links.ts";

/** A symbolic link of a release, and its text. */
export type LeavingLink = { readonly path: string; readonly text: string };

/**
 * The number of links that leave the release, and the first of them. `isComplete`: whether all folders were searched;
 * folders that are nested too deeply are not.
 */
export type LeavingLinks = {
  readonly count: number;
  readonly first: readonly LeavingLink[];
  readonly isComplete: boolean;
  /** The first published link whose file is hidden under its own name; null if there is none. */
  readonly hidden: LeavingLink | null;
};

export type LinkedRelease = {
  /** The release's folder, the agent's home and the project's shared folder; absolute. */
  readonly release: string;
  readonly home: string;
  readonly shared: string;
  /** The project's root directory and the folder that is published; relative to the release. */
  readonly root: string;
  readonly output: string;
  /** Paths of the release whose files were just moved to the shared folder: their links are not checked yet. */
  readonly copies: readonly string[];
  /** Whether the site does not show a file or folder with this name; null if nothing is published. */
  readonly hides: ((name: string) => boolean) | null;
};

const MOST_NAMED = 20;
/** Each round finds more folders that the previous one has shown to be published. */
const MOST_ROUNDS = 8;

/** Folders where packages install programs and libraries. Everyone may read them, and links to them are common. */
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

/**
 * Folders of tools and of their managers in the home of the agent's user. Their files are linked to: a virtual
 * environment links to the Python that it was made with. `tools` is the agent's own.
 */
const toolFolders = [
  "tools",
  ...[".cache", ".local/share", ".local/bin", ".local/lib", ".local/pipx", ".local/state"],
  ...[".npm", ".nvm", ".nodenv", ".volta", ".fnm", ".bun", ".deno", ".pnpm-store", ".yarn"],
  ...[".pyenv", ".rbenv", ".rvm", ".gem", ".phpenv", ".goenv", "go", ".cargo", ".rustup", ".asdf", ".sdkman"],
];

type Place = "release" | "programs" | "tools" | "home" | "elsewhere";

/**
 * Finds symbolic links that would publish files from outside the release. A web server that follows links reads
 * whatever the agent's user or its group may read. Published files may link only to the release and the shared
 * folder; if the whole project is published, also to programs. Other files may link anywhere except into the agent's
 * home.
 * @param signal ends the search before all links were checked
 */
export async function findLeavingLinks(linked: LinkedRelease, signal: AbortSignal): Promise<LeavingLinks> {
  const places = await readPlaces(linked);
  const exposed = new Set<string>([places.output]);
  for (let round = 1; ; round += 1) {
    const end = await look(places, exposed, round > MOST_ROUNDS, signal);
    if (signal.aborted) return end.leaving;
    const isDecided = end.opened.size === 0 || !end.hasTolerated || round > MOST_ROUNDS;
    if (end.leaving.count > 0 || !end.leaving.isComplete || isDecided) return end.leaving;
    for (const path of end.opened) exposed.add(path);
  }
}

type Places = Awaited<ReturnType<typeof readPlaces>>;

async function readPlaces(linked: LinkedRelease) {
  const release = await realpath(linked.release);
  // If the output folder is missing, as in a damaged release, everything counts as published.
  const output = await realpath(join(release, linked.root, linked.output)).catch(() => release);
  return {
    release,
    output,
    copies: linked.copies,
    hides: linked.hides,
    home: await realpath(linked.home),
    // It may not exist yet; it is next to the folder of releases.
    shared: await realpath(linked.shared).catch(() => join(dirname(dirname(release)), "shared")),
    isAllPublished: output === (await realpath(join(release, linked.root)).catch(() => release)),
  };
}

type Look = {
  readonly leaving: LeavingLinks;
  /** Folders and files that published links lead to, and that did not count as published before. */
  readonly opened: ReadonlySet<string>;
  /** Whether any link leaves the release that is only allowed because its file is not published. */
  readonly hasTolerated: boolean;
};

/** @param isAllExposed treats every file as published */
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
  let isComplete = true;
  let hidden: LeavingLink | null = null;
  const visit = async (tree: string, { path: inTree, at }: TreeLink): Promise<void> => {
    if (signal.aborted) return;
    const link = join(tree, inTree);
    const target = await findLinkTarget(at, link);
    if (target.kind === "nowhere") return;
    const own = ownPath(places, link);
    const path = relative(places.release, own);
    const isExposed = isAllExposed || isPublished(places, exposed, own);
    // A link that cannot be followed may lead anywhere.
    const place = target.kind === "unreadable" ? "home" : placeOf(places, target.path);
    if (place === "release") {
      if (hidden === null && target.kind === "path" && showsHidden(places, own, ownPath(places, target.path)))
        hidden = { path, text: await readlink(at).catch(() => "") };
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
    isComplete = (await visitLinks(tree, signal, (link) => visit(tree, link))) && isComplete;
  return { leaving: { count, first, isComplete, hidden }, opened, hasTolerated };
}

/** The path that a file had in the release, if it was just moved to the shared folder. */
function ownPath({ release, shared, copies }: Places, path: string): string {
  const isCopy = copies.some((copy) => isBelow(join(shared, copy), path));
  return isCopy ? join(release, relative(shared, path)) : path;
}

function placeOf({ release, shared, home }: Places, target: string): Place {
  if (isBelow(release, target) || isBelow(shared, target)) return "release";
  // The home of the project's user, which only the project's own commands write to.
  if (isBelow(join(dirname(dirname(release)), "home"), target)) return "tools";
  if (isBelow(home, target))
    return toolFolders.some((folder) => isBelow(join(home, folder), target)) ? "tools" : "home";
  return programFolders.some((folder) => isBelow(folder, target)) ? "programs" : "elsewhere";
}

/** @param exposed real paths in the release that a web server publishes, directly or through links */
function isPublished(places: Places, exposed: ReadonlySet<string>, found: string): boolean {
  const { release, output, shared, isAllPublished } = places;
  const path = ownPath(places, found);
  if (isBelow(shared, path)) return true;
  for (let folder = path; folder.length >= release.length; folder = dirname(folder)) {
    if (!exposed.has(folder)) continue;
    // A project that is published as a whole has folders that should not be published, such as `.venv`.
    const isHidden =
      isAllPublished && folder === output && relative(output, path).split(sep).some(isHiddenName);
    if (!isHidden) return true;
  }
  return false;
}

/** Files of forges, which a link often shows elsewhere, and packages, which pnpm keeps in a hidden folder. */
const harmless = [".github", ".gitlab", ".gitea", "node_modules"];

/** Whether visitors get a file of the release by a link that they would not get by its own name. */
function showsHidden({ release, output, shared, hides }: Places, link: string, target: string): boolean {
  if (hides === null || !isBelow(output, link)) return false;
  const isHidden = (name: string) => isHiddenName(name) || hides(name);
  if (relative(output, link).split(sep).some(isHidden)) return false;
  // The output directory may be in a hidden folder itself.
  let base = isBelow(shared, target) ? shared : output;
  while (!isBelow(base, target) && base.length > release.length) base = dirname(base);
  const parts = relative(base, target).split(sep);
  return !parts.some((part) => harmless.includes(part)) && parts.some(isHidden);
}

function isHiddenName(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
