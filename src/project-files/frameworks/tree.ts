import {
  managerSettings,
  type PackageManager,
  packageManagerOf,
  withLinker,
} from "#project-files/frameworks/package-manager.ts";
import {
  buildOfMembers,
  type FolderAbove,
  managerAbove,
  type Workspace,
  workspaceOf,
} from "#project-files/frameworks/workspace.ts";
import { type AngularProject, angularProject } from "#project-files/frameworks/angular-project.ts";
import type { ComposeFile } from "#project-files/compose/read-compose.ts";
import { configFiles, type ConfiguredTool, readConfigs } from "#project-files/frameworks/config-files.ts";
import { startsServer } from "#project-files/frameworks/starts-server.ts";
import type { FrameworkConfig } from "#project-files/frameworks/read-config.ts";
import { findGoProgram, type GoProgram, goPaths } from "#project-files/frameworks/servers/go-server.ts";
import {
  deepNodeEntries,
  findNodeEntry,
  serverPackage,
} from "#project-files/frameworks/servers/node-entry.ts";
import { scriptKind } from "#project-files/frameworks/servers/script-kind.ts";
import {
  findPythonApp,
  type PythonApp,
  pythonEntries,
  pythonPaths,
  settingsModule,
} from "#project-files/frameworks/servers/python-app.ts";
import { functionPaths, platformFunction } from "#project-files/frameworks/platform-functions.ts";
import { phpFolders, webRootSigns } from "#project-files/frameworks/servers/php-folders.ts";
import {
  platformFiles,
  platformPaths,
  platformRules,
  type PlatformSettings,
  platformSettings,
} from "#project-files/frameworks/platform-settings.ts";
import { requirementFiles, requirementPaths } from "#project-files/frameworks/requirements.ts";
import { hugoConfigs, siteConfigs, siteOutput, siteSigns } from "#project-files/frameworks/site-configs.ts";
import { DEFAULT_DOCKERFILE } from "#contract/endpoints/projects/settings.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";

/** The facts about a project's files that the detection of frameworks uses. */
export type Tree = {
  /**
   * `file:<path>` for existing files, `npm:`, `composer:`, `gem:` and `pip:` for dependencies, `script:` for scripts of
   * package.json, `toml:` for tables of pyproject.toml, `django:static-root` if the settings have STATIC_ROOT,
   * `start:server` for a script `start` that is not for development, `node:server` for a package that answers requests,
   * `server.js:answers` if that program does,
   * `zola`, `hugo` and `jekyll` for what a configuration file says, `function` and `rules` with the file for another platform
   * that has some, `php:web-root` with the folder that Composer fills. The value says it as a reason: `package.json depends on next`.
   */
  readonly signs: ReadonlyMap<string, string>;
  readonly packageManager: PackageManager;
  /** The workspace that the project belongs to, unless it has a lock file of its own. */
  readonly workspace: Workspace | null;
  /** The command that builds the packages of the workspace that the project depends on; null if there are none. */
  readonly buildOfMembers: string | null;
  /** The scripts of package.json. */
  readonly scripts: ReadonlyMap<string, string>;
  readonly configs: ReadonlyMap<ConfiguredTool, FrameworkConfig>;
  readonly angular: AngularProject | null;
  readonly python: PythonApp;
  /** The program of a Go module that answers requests. */
  readonly goProgram: GoProgram | null;
  /** The file that a Node app begins with, if no script starts it. */
  readonly nodeEntry: string | null;
  /** The output directory that the configuration of a site generator names; null if it names none. */
  readonly siteOutput: string | null;
  /** What a file for another platform says about the site. */
  readonly platform: PlatformSettings | null;
  /** The folders that have an app or a site of their own, if the project has none. */
  readonly folders: readonly string[];
  /** The Dockerfile that the project names, or the one at the top; null if it does not exist. */
  readonly dockerfile: TreeFile | null;
  /** The Compose file at the top, if nothing else is known about the project; otherwise null. */
  readonly compose: TreeCompose | null;
};

/** A Compose file, or why it cannot be read. */
export type TreeCompose = {
  readonly path: string;
  readonly read: ResultOf<ComposeFile, { readonly problem: FileProblem }>;
};

/** A file whose text is read only if it is needed. `read`: the problem, if it cannot be read. */
export type TreeFile = {
  readonly path: string;
  readonly read: ResultOf<string, { readonly problem: FileProblem }>;
};

/** The files whose content is read. For all other files, only their existence matters. */
export const readFiles: readonly string[] = [
  "package.json",
  "composer.json",
  "Gemfile",
  "requirements.txt",
  "pyproject.toml",
  "Pipfile",
  "setup.py",
  "setup.cfg",
  "angular.json",
  "manage.py",
  "go.mod",
  "app.rb",
  ...managerSettings,
  "server.js",
  ...pythonEntries,
  ...configFiles,
  ...siteConfigs,
  ...platformFiles,
];

/**
 * The paths below the top level that the detection uses. `*.py` and `*.go` stand for all such files of a folder, whose
 * content is read, like the content of a `.txt` file, and `*` for the folders in it. A `*` before the last part stands
 * for each folder.
 * @param files the top-level files, as for `surveyTree`
 */
export function deepPaths(files: ReadonlyMap<string, string>): readonly string[] {
  const settings = settingsModule(files.get("manage.py") ?? "");
  const fixed = [
    ...(files.has("app") ? ["app/assets", "app/*.py"] : []),
    ...(files.has("cmd") ? ["cmd/*"] : []),
    ...(files.has("public") && !files.has("index.html") ? ["public/index.html"] : []),
    ...(files.has("config") ? hugoConfigs : []),
    ...(files.has("docs")
      ? ["docs/conf.py", "docs/source/conf.py", "docs/.vuepress", "docs/requirements.txt"]
      : []),
    ...(files.has("source") ? ["source/conf.py"] : []),
    ...(files.has("src") ? ["src/.vuepress"] : []),
    ...(files.has("package.json")
      ? deepNodeEntries(new Set(files.keys()), parseRelaxedObject(files.get("package.json") ?? "")["main"])
      : []),
    ...requirementPaths(files),
    ...platformPaths(files),
    ...pythonPaths(files),
    ...goPaths(files),
    ...functionPaths(files),
    ...phpFolders.filter((folder) => files.has(folder)).map((folder) => `${folder}/index.php`),
  ];
  if (settings === null) return fixed;
  // `config.settings.production` is config/settings/production.py, and usually imports from the files beside it.
  const parts = settings.split(".");
  return [...fixed, [...parts.slice(0, -1), "*.py"].join("/"), [...parts, "*.py"].join("/")];
}

/**
 * Collects the facts about a project's files.
 * @param files the existing paths, with the content of the files in `readFiles`. `checkFile` refuses what cannot be
 *   parsed.
 * @param above the parent folders, the nearest first: a workspace has its lock file there
 */
export function surveyTree(files: ReadonlyMap<string, string>, above: readonly FolderAbove[]): Tree {
  const text = (name: string) => files.get(name) ?? "";
  const manifest = parseRelaxedObject(text("package.json"));
  const composer = parseRelaxedObject(text("composer.json"));
  const scripts = Object.entries(objectOf(manifest["scripts"])).filter(isText);
  const npm = [...keysOf(manifest["dependencies"]), ...keysOf(manifest["devDependencies"])];
  const php = [...keysOf(composer["require"]), ...keysOf(composer["require-dev"])];
  const gems = matches(text("Gemfile"), /^[ \t]*gem[ \t(]+["']([^"'\n]+)/gm);
  const tables = matches(
    text("pyproject.toml"),
    /^\[(project(?=\])|build-system(?=\])|tool\.poetry(?=[\].]))/gm,
  );
  const lists = [...requirementFiles(files), "pyproject.toml", "Pipfile"];
  const python = [...lists, ...ownSetup(files)].flatMap((file) =>
    [...pythonNames(text(file)), ...extrasOf(text(file))].map(
      (name) => [`pip:${name}`, `${file} names ${name}`] as const,
    ),
  );
  const settings = [...files].find(isStaticRootSet);
  const signs = new Map([
    ...[...files.keys()].map((path) => [`file:${path}`, `${path} exists`] as const),
    ...npm.map((name) => [`npm:${name}`, `package.json depends on ${name}`] as const),
    ...scripts.map(([name]) => [`script:${name}`, `package.json has a script ${name}`] as const),
    ...php.map((name) => [`composer:${name}`, `composer.json requires ${name}`] as const),
    ...gems.map((name) => [`gem:${name}`, `the Gemfile names ${name}`] as const),
    ...python,
    ...tables.map((name) => [`toml:${name}`, `pyproject.toml has a table ${name}`] as const),
    ...(settings === undefined ? [] : [["django:static-root", `${settings[0]} sets STATIC_ROOT`] as const]),
    ...(manifest["workspaces"] === undefined
      ? []
      : [["workspace:root", "package.json has workspaces"] as const]),
    ...nodeSigns(scripts, keysOf(manifest["dependencies"])),
    ...(startsServer(text("server.js")) ? [["server.js:answers", "server.js starts a server"] as const] : []),
    ...siteSigns(files),
    ...functionSigns(files),
    ...webRootSigns(text("composer.json")),
  ]);
  const own = packageManagerOf(new Set(files.keys()), manifest["packageManager"]);
  const workspace = own?.isLocked === true ? null : workspaceOf(above);
  const manager = own ?? managerAbove(above) ?? { name: "npm", isLocked: false };
  return {
    signs,
    packageManager: workspace?.packageManager ?? withLinker(manager, files, manifest),
    workspace,
    buildOfMembers: buildOfMembers(workspace, above),
    scripts: new Map(scripts),
    configs: readConfigs(files),
    angular: angularProject(parseRelaxedObject(text("angular.json"))),
    python: findPythonApp(files),
    goProgram: findGoProgram(files),
    nodeEntry: findNodeEntry(new Set(files.keys()), {
      main: manifest["main"],
      hasServer: serverPackage(new Set(keysOf(manifest["dependencies"]))) !== null,
      hasBuild: scripts.some(([name]) => name === "build"),
    }),
    siteOutput: siteOutput(files),
    platform: platformSettings(files),
    folders: [],
    dockerfile: fileIn(files, DEFAULT_DOCKERFILE),
    compose: null,
  };
}

function fileIn(files: ReadonlyMap<string, string>, path: string): TreeFile | null {
  const text = files.get(path);
  return text === undefined ? null : { path, read: succeed(text) };
}

/** The files for other platforms whose functions and rules have no effect. */
function functionSigns(files: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const file = platformFunction(files);
  const rules = platformRules(files);
  return [
    ...(file === null ? [] : [["function", file] as const]),
    ...(rules === null ? [] : [["rules", rules] as const]),
  ];
}

/** Whether package.json starts a server, and has a package for one. */
function nodeSigns(
  scripts: readonly (readonly [string, string])[],
  npm: readonly string[],
): readonly (readonly [string, string])[] {
  const start = scripts.find(([name]) => name === "start")?.[1];
  const kind = start === undefined ? "step" : scriptKind(start, new Map(scripts));
  const answers = serverPackage(new Set(npm));
  return [
    ...(kind === "program" || kind === "other"
      ? [["start:server", "package.json has a script start"] as const]
      : []),
    ...(kind === "files" ? [["start:files", "package.json has a script start"] as const] : []),
    ...(answers === null ? [] : [["node:server", `package.json depends on ${answers}`] as const]),
  ];
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
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
  return [...new Set(names)].map((name) => name.toLowerCase().replace(/[-_.]+/g, "-"));
}

/** The files with the packages of the project itself, if a list installs it: `-e .` */
function ownSetup(files: ReadonlyMap<string, string>): readonly string[] {
  const isInstalled = requirementFiles(files).some((file) =>
    /^[ \t]*(?:-e[ \t]+|--editable[ \t=]+)?\.(?:\[[\w,-]+\])?[ \t\r]*$/m.test(files.get(file) ?? ""),
  );
  return isInstalled ? ["setup.py", "setup.cfg"].filter((file) => files.has(file)) : [];
}

/** The package `fastapi[standard]` contains a server. */
function extrasOf(text: string): readonly string[] {
  return /\bfastapi\[(?:standard|all)\b/i.test(text) ? ["uvicorn"] : [];
}

/** Whether a file of Django's settings says where to collect static files. */
function isStaticRootSet([path, text]: readonly [string, string]): boolean {
  return path.endsWith(".py") && /^[ \t]*STATIC_ROOT[ \t]*[=:]/m.test(text);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function keysOf(value: unknown): string[] {
  return Object.keys(objectOf(value));
}
