import type { PackageManager } from "#project-files/frameworks/package-manager.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";

/** A package of a workspace. `path`: relative to the workspace's root. `text`: its package.json. */
export type Member = { readonly path: string; readonly text: string };

type Package = {
  readonly path: string;
  readonly name: string;
  readonly hasBuild: boolean;
  readonly depends: readonly string[];
};

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/**
 * The packages of a workspace that must be built before an app: its own dependencies and theirs, if they have a script
 * `build`. Those that others depend on come first.
 * @param app the app's path in the workspace
 * @returns their paths in the workspace
 */
export function packagesToBuild(members: readonly Member[], app: string): readonly string[] {
  const packages = members.map(readPackage);
  const byName = new Map(packages.map((one) => [one.name, one]));
  const ordered: Package[] = [];
  const seen = new Set<Package>();
  const start = packages.find(({ path }) => path === app);
  // Visited without recursion: a chain of dependencies can be longer than the stack.
  const open = start === undefined ? [] : [{ one: start, isDone: false }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    if (top.isDone) ordered.push(top.one);
    else if (!seen.has(top.one)) {
      seen.add(top.one);
      open.push({ one: top.one, isDone: true });
      for (const name of top.one.depends.toReversed()) {
        const next = byName.get(name);
        if (next !== undefined) open.push({ one: next, isDone: false });
      }
    }
  }
  return ordered.filter((one) => one !== start && one.hasBuild).map(({ path }) => path);
}

function readPackage({ path, text }: Member): Package {
  const manifest = parseRelaxedObject(text);
  const { name } = manifest;
  return {
    path,
    name: typeof name === "string" ? name : "",
    hasBuild: typeof objectOf(manifest["scripts"])["build"] === "string",
    depends: dependencyFields.flatMap((field) => Object.keys(objectOf(manifest[field]))),
  };
}

/** Leaves room for the app's own command within the limit of `build_command`. */
const MAX_LENGTH = 6_000;

/**
 * The command that builds these packages, from the app's folder.
 * @returns null if there are none, a path needs quotes, or there are too many for a command
 */
export function buildMembers({ name }: PackageManager, app: string, paths: readonly string[]): string | null {
  const commands = paths.flatMap((path) => {
    const from = relativePath(app, path);
    return /^[\w@./-]+$/.test(from) ? [buildIn(name, from)] : [];
  });
  const line = commands.join(" && ");
  return commands.length < paths.length || line === "" || line.length > MAX_LENGTH ? null : line;
}

function buildIn(name: PackageManager["name"], folder: string): string {
  switch (name) {
    case "npm":
      return `npm run build --prefix ${folder}`;
    case "pnpm":
      return `pnpm --dir ${folder} run build`;
    case "yarn":
    case "yarn-classic":
      return `yarn --cwd ${folder} run build`;
    case "bun":
      return `bun run --cwd ${folder} build`;
  }
}

/** A path relative to another one, both in the same folder. */
function relativePath(from: string, to: string): string {
  const [start, end] = [from.split("/"), to.split("/")];
  const same = start.findIndex((part, index) => part !== end[index]);
  const shared = same === -1 ? start.length : same;
  return [...start.slice(shared).map(() => ".."), ...end.slice(shared)].join("/") || ".";
}
