import { packageManagerFiles } from "#project-files/frameworks/package-manager.ts";
import { filesIn } from "#project-files/frameworks/form.ts";
import { isOnlyBuilt } from "#project-files/frameworks/node-forms.ts";
import { chain, noCommands } from "#project-files/frameworks/recipes.ts";
import { presetName } from "#project-files/frameworks/preset-names.ts";
import { type FrameworkPreset, presets } from "#project-files/frameworks/presets.ts";
import { STATIC } from "#project-files/frameworks/usual-preset.ts";
import { readFiles, type Tree } from "#project-files/frameworks/tree.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";

/** The framework of a Node app that names no other. */
export const NODE = "node";

/** A typical project, for a preset before the files of the project are known. */
export const usualTree: Tree = {
  signs: new Map(
    [
      ...["build", "generate", "docs:build"].map((name) => `script:${name}`),
      ...["package.json", "Gemfile", "composer.json", "requirements.txt", "public"].map(
        (name) => `file:${name}`,
      ),
      ...["gem:propshaft", "django:static-root"],
    ].map((sign) => [sign, sign]),
  ),
  packageManager: { name: "npm", isLocked: true },
  workspace: null,
  buildOfMembers: null,
  scripts: new Map(["build", "generate"].map((name) => [name, name])),
  configs: new Map(),
  angular: null,
  python: { wsgi: null, asgi: null, streamlit: null },
  goProgram: null,
  nodeEntry: null,
  siteOutput: null,
  platform: null,
  folders: [],
  dockerfile: null,
  compose: null,
};

/** Every file or folder that the detection uses, relative to the project's root directory. */
export const tellingFiles: readonly string[] = [
  ...new Set([
    ...readFiles,
    ...packageManagerFiles,
    ...["uv.lock", "poetry.lock", "Pipfile.lock", "Gemfile.lock", ".vitepress"],
    ...["app", "cmd", "main.go", "public", "server.js"],
    ...Object.values(presets)
      .flatMap(({ signs }) => signs.flat())
      .flatMap((sign) => (sign.startsWith("file:") ? [sign.slice("file:".length)] : []))
      // Those below the top level are in `deepPaths`.
      .filter((path) => !path.includes("/")),
  ]),
];

/**
 * The name of the first preset whose signs are present. If there is none, a program for Node without a page is an app, as
 * for `npm start`, a project with a script that builds it is one of Node, and everything else a static site.
 */
export function detectFramework(tree: Tree): string {
  const { signs } = tree;
  const found = Object.entries(presets).find(([, preset]) => fittingSigns(preset, signs) !== null)?.[0];
  if (found !== undefined && found !== STATIC) return found;
  if (!hasPage(tree) && (signs.has(SERVER) || signs.has(ANSWERS))) return NODE;
  return signs.has(BUILDS) && !buildsPackages(tree) ? NODE : STATIC;
}

/** Whether the files neither name a framework nor have a page, so that they are no site. */
export function isUnknown(tree: Tree): boolean {
  const framework = detectFramework(tree);
  return !hasPage(tree) && (framework === STATIC || (framework === NODE && isOnlyBuilt(tree)));
}

/** Whether the files are neither a site nor an app, as far as is known. */
export function startsNothing(tree: Tree): boolean {
  return !hasPage(tree) && detectFramework(tree) === STATIC;
}

/** Whether the script `build` builds the packages of a workspace, each in its own folder. */
function buildsPackages(tree: Tree): boolean {
  const { scripts, signs } = tree;
  const isRoot = workspaceSigns.some((sign) => signs.has(sign));
  const script = scripts.get("build") ?? "";
  const called = script.split(/\s+/).flatMap((word) => scripts.get(word) ?? []);
  const build = [script, ...called].join(" && ");
  const each = /\b(?:turbo|nx|lerna|rush|wireit|workspaces?|moon)\b| (?:-r|-ws|-w|-F|--recursive|--filter)\b/;
  return (isRoot || each.test(build)) && !hasPage(tree) && each.test(build);
}

/** The signs of the root of a workspace. */
export const workspaceSigns: readonly string[] = [
  ...["pnpm-workspace.yaml", "turbo.json", "nx.json", "lerna.json", "rush.json", "go.work"].map(
    (name) => `file:${name}`,
  ),
  "workspace:root",
];

/** Whether a page can be published as it is. */
function hasPage({ signs, platform }: Tree): boolean {
  const named = platform?.output ?? null;
  return ["index.html", "public/index.html", ...(named === null ? [] : [`${named}/index.html`])].some(
    (path) => signs.has(`file:${path}`),
  );
}

/** Whether package.json names packages to install. */
export function hasNodePackages({ signs }: Tree): boolean {
  return [...signs.keys()].some((sign) => sign.startsWith("npm:"));
}

/** Whether there is a preset for the framework. */
export function hasPreset(framework: string): boolean {
  return presetNamed(framework) !== null;
}

/** The build settings of a framework for a project. A framework without a preset has no build, like a static site. */
export function presetFor(framework: string, tree: Tree | null = null): DetectedPreset {
  const preset = presetNamed(framework);
  const { install, build: own, installIn } = preset?.commands(tree ?? usualTree) ?? noCommands;
  const build = chain(installIn === undefined ? null : (tree?.buildOfMembers ?? null), own);
  const form = preset?.form(tree ?? usualTree) ?? filesIn(".")();
  return {
    framework,
    install_command: install,
    build_command: build,
    output_directory: form.output_directory,
    trailing_slash: "auto",
    fallback: form.fallback,
    app_type: form.app_type,
    start_command: form.start_command,
    reasons: tree === null ? [] : [...whyDetected(framework, tree), ...form.reasons],
  };
}

/** The folder in the repository in which the framework's install command runs; null if it is the project's root directory. */
export function installFolder(framework: string, tree: Tree): string | null {
  return presetNamed(framework)?.commands(tree).installIn ?? null;
}

/** Whether the output directory is found after the build, because it is the folder that the build creates. */
export function findsOutput(framework: string, tree: Tree): boolean {
  return presetNamed(framework)?.form(tree).findsOutput === true;
}

/** Why these files cannot be built for a server, in a sentence; null if they can. */
export function buildProblem(framework: string, tree: Tree): string | null {
  return presetNamed(framework)?.form(tree).problem ?? null;
}

/** What `npm start` starts without a script. */
const SERVER = "file:server.js";
const ANSWERS = "node:server";
const BUILDS = "script:build";

function whyDetected(framework: string, { signs }: Tree): readonly string[] {
  if (framework === STATIC) return ["no file names a framework"];
  const preset = presetNamed(framework);
  const fitting = preset === null ? null : fittingSigns(preset, signs);
  const fallback =
    framework === NODE ? [SERVER, ANSWERS, BUILDS].filter((sign) => signs.has(sign)).slice(0, 1) : [];
  return (fitting ?? fallback).map((sign) => signs.get(sign) ?? sign);
}

/** The first signs of the preset that are all present; null if there are none. */
function fittingSigns(preset: FrameworkPreset, signs: Tree["signs"]): readonly string[] | null {
  return preset.signs.find((line) => line.every((sign) => signs.has(sign))) ?? null;
}

function presetNamed(framework: string): FrameworkPreset | null {
  const name = presetName(framework);
  return Object.hasOwn(presets, name) ? (presets[name] ?? null) : null;
}
