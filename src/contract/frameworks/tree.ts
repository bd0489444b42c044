import { type PackageManager, packageManagerOf } from "#contract/frameworks/package-manager.ts";
import { InsidePath } from "#contract/git-names.ts";
import { objectOf, parseObject } from "#contract/lib/json-object.ts";

/**
 * The facts about a project's files that the detection of frameworks uses.
 * `signs`: `file:<path>` for existing files, `npm:`, `composer:`, `gem:` and `pip:` for dependencies, `script:` for
 * scripts of package.json, `toml:` for tables of pyproject.toml, `django:static-root` if the settings have STATIC_ROOT.
 * `angularOutput`: the output directory from angular.json.
 */
export type Tree = {
  readonly signs: ReadonlySet<string>;
  readonly packageManager: PackageManager;
  readonly angularOutput: string | null;
};

/** The files whose content is read. For all other files, only their existence matters. */
export const readFiles = [
  "package.json",
  "composer.json",
  "Gemfile",
  "requirements.txt",
  "pyproject.toml",
  "Pipfile",
  "angular.json",
  "manage.py",
] as const;

/**
 * The paths below the top level that the detection uses. `*.py` stands for all Python files of a folder, whose content
 * is read.
 * @param files the top-level files, as for `surveyTree`
 */
export function deepPaths(files: ReadonlyMap<string, string>): readonly string[] {
  const named = /["']DJANGO_SETTINGS_MODULE["'],\s*["']([\w.]{1,200})["']/.exec(files.get("manage.py") ?? "");
  const assets = files.has("app") ? ["app/assets"] : [];
  if (named?.[1] === undefined) return assets;
  // `config.settings.production` is config/settings/production.py, and usually imports from the files beside it.
  const parts = named[1].split(".");
  return [...assets, [...parts.slice(0, -1), "*.py"].join("/"), [...parts, "*.py"].join("/")];
}

/**
 * Collects the facts about a project's files.
 * @param files the existing paths, with the content of those in `readFiles`. Content that cannot be parsed is ignored.
 * @param above the names of the files in the parent folders, up to the repository root: a workspace has its lock file there
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
    ...matches(text("pyproject.toml"), /^\[(project|build-system)\]/gm).map((name) => `toml:${name}`),
    ...([...files].some(isStaticRootSet) ? ["django:static-root"] : []),
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
 * Package names at the beginning of a line (`Django>=5`), quoted in a list, or as a key in TOML. The pattern does not
 * match across lines, because a file of only line breaks would then take minutes.
 */
function pythonNames(text: string): string[] {
  const names = matches(
    text,
    /(?:^[ \t]*|["'])([A-Za-z0-9][A-Za-z0-9._-]*)(?=[ \t]*(?:[<>=!~;,[@"'#(\r]|$))/gm,
  );
  // Source: PEP 503, normalized names.
  return names.map((name) => name.toLowerCase().replace(/[-_.]+/g, "-"));
}

/** Whether a file of Django's settings says where to collect static files. */
function isStaticRootSet([path, text]: readonly [string, string]): boolean {
  return path.endsWith(".py") && /^[ \t]*STATIC_ROOT[ \t]*[=:]/m.test(text);
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

function keysOf(value: unknown): string[] {
  return Object.keys(objectOf(value));
}
