import { type PackageManager, packageManagerOf } from "#contract/frameworks/package-manager.ts";
import { InsidePath } from "#contract/git-names.ts";
import { parseJson } from "#contract/parse-json.ts";

/**
 * What is known of a project's files, as far as frameworks go by it.
 * `signs`: `file:<path>` for what is there, `npm:`, `composer:`, `gem:` and `pip:` for dependencies, `script:` for
 * scripts of package.json. `angularOutput`: where angular.json has the application built to.
 */
export type Tree = {
  readonly signs: ReadonlySet<string>;
  readonly packageManager: PackageManager;
  readonly angularOutput: string | null;
};

/** The files whose text tells something. Of all others it counts only that they are there. */
export const readFiles = [
  "package.json",
  "composer.json",
  "Gemfile",
  "requirements.txt",
  "pyproject.toml",
  "Pipfile",
  "angular.json",
] as const;

/**
 * Makes out of the files what frameworks go by.
 * @param files paths that are there, with the texts of those in `readFiles`; what cannot be parsed counts as empty
 * @param above the names of files in the folders above, up to the repository's: a workspace keeps its lock file there
 */
export function surveyTree(files: ReadonlyMap<string, string>, above: ReadonlySet<string>): Tree {
  const text = (name: (typeof readFiles)[number]) => files.get(name) ?? "";
  const manifest = parseObject(text("package.json"));
  const composer = parseObject(text("composer.json"));
  const npm = [...keysOf(manifest["dependencies"]), ...keysOf(manifest["devDependencies"])];
  const php = [...keysOf(composer["require"]), ...keysOf(composer["require-dev"])];
  const python = ["requirements.txt", "pyproject.toml", "Pipfile"] as const;
  const signs = new Set([
    ...[...files.keys()].map((path) => `file:${path}`),
    ...npm.map((name) => `npm:${name}`),
    ...keysOf(manifest["scripts"]).map((name) => `script:${name}`),
    ...php.map((name) => `composer:${name}`),
    ...matches(text("Gemfile"), /^[ \t]*gem[ \t(]+["']([^"'\n]+)/gm).map((name) => `gem:${name}`),
    ...python.flatMap((name) => pythonNames(text(name))).map((name) => `pip:${name}`),
  ]);
  const locked = new Set(files.keys());
  return {
    signs,
    packageManager: packageManagerOf(locked, manifest["packageManager"]) ??
      packageManagerOf(above, null) ?? { name: "npm", isLocked: false },
    angularOutput: angularOutput(parseObject(text("angular.json"))),
  };
}

/**
 * Requirements begin a line (`Django>=5`), or stand quoted in a list or as a key in TOML. No pattern here spans lines: a
 * file of nothing but line ends would take it minutes.
 */
function pythonNames(text: string): string[] {
  const names = matches(
    text,
    /(?:^[ \t]*|["'])([A-Za-z0-9][A-Za-z0-9._-]*)(?=[ \t]*(?:[<>=!~;,[@"'#(\r]|$))/gm,
  );
  // Source: PEP 503, normalized names.
  return names.map((name) => name.toLowerCase().replace(/[-_.]+/g, "-"));
}

/** Source: Angular's workspace configuration; since version 17 the application builder adds `browser`. */
function angularOutput(workspace: Readonly<Record<string, unknown>>): string | null {
  const [entry] = Object.entries(objectOf(workspace["projects"]));
  if (entry === undefined) return null;
  const [name, project] = entry;
  const build = objectOf(objectOf(objectOf(project)["architect"])["build"]);
  const given = objectOf(build["options"])["outputPath"];
  const base = typeof given === "string" ? given : (objectOf(given)["base"] ?? `dist/${name}`);
  if (typeof base !== "string") return null;
  const path = base.replace(/^\.\//, "").replace(/\/+$/, "");
  const isApplication = String(build["builder"]).endsWith(":application");
  const browser = objectOf(given)["browser"] ?? "browser";
  const whole = isApplication && typeof browser === "string" && browser !== "" ? `${path}/${browser}` : path;
  return InsidePath.safeParse(whole).data ?? null;
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  return objectOf(parseJson(text));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function keysOf(value: unknown): string[] {
  return Object.keys(objectOf(value));
}
