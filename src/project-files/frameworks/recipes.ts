import { installCommand, scriptCommand, toolCommand } from "#project-files/frameworks/package-manager.ts";
import { requirementsFile } from "#project-files/frameworks/requirements.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** The commands that build a project; null for those that it does not need. */
export type Commands = {
  readonly install: string | null;
  readonly build: string | null;
  /** The folder in the repository in which the installation runs. Without it: the project's root directory. */
  readonly installIn?: string;
};

/** Returns the commands for a project. */
export type Recipe = (tree: Tree) => Commands;

/** Nothing to install and nothing to build. */
export const noCommands: Commands = { install: null, build: null };

/** What other platforms run instead of a script `build`, or after it. */
const platformScripts = ["heroku-postbuild", "render-build", "gcp-build", "railway-build"];

/**
 * Installs the packages, of the whole workspace if the project is in one, then runs the first of the scripts that exists
 * in package.json, or else the framework's own tool.
 */
export function node(scripts: readonly string[], tool: string | null): Recipe {
  return ({ signs, packageManager, workspace }) => {
    const names = tool === null && scripts.includes("build") ? [...scripts, ...platformScripts] : scripts;
    const script = names.find((name) => signs.has(`script:${name}`));
    const run =
      script === undefined
        ? tool === null
          ? null
          : toolCommand(packageManager, tool)
        : scriptCommand(packageManager, script);
    const install = installCommand(packageManager);
    return { install, build: run, ...(workspace === null ? {} : { installIn: workspace.path }) };
  };
}

/**
 * Installs the Composer packages, and builds the assets if package.json has a build script.
 * @param environment variables of the installation, whose scripts may start the app
 */
export function php(environment = ""): Recipe {
  return (tree) => {
    const assets = tree.signs.has("script:build") ? node(["build"], null)(tree) : noCommands;
    const composer = tree.signs.has("file:composer.json")
      ? withEnvironment(environment, "composer install --no-dev --no-interaction --optimize-autoloader")
      : null;
    return { install: chain(composer, assets.install), build: assets.build };
  };
}

/** Installs the packages into `.venv`, with the tool whose package list exists, and runs a command from them. */
export function python(command: string | null): Recipe {
  return ({ signs }) => {
    const install = installPython(signs);
    return { install, build: install === null || command === null ? command : `.venv/bin/${command}` };
  };
}

/** Installs the packages, and collects the static files if the settings name their folder. Without it, Django fails. */
export const django: Recipe = (tree) =>
  python(tree.signs.has("django:static-root") ? "python3 manage.py collectstatic --noinput" : null)(tree);

/** Installs the gems if there is a Gemfile, and runs a command from them. */
export function ruby(environment: string, command: string | null): Recipe {
  return ({ signs }) => {
    const hasGems = signs.has("file:Gemfile");
    const run = command === null ? null : `${hasGems ? "bundle exec " : ""}${command}`;
    return {
      install: hasGems ? installGems(signs) : null,
      build: run === null ? null : withEnvironment(environment, run),
    };
  };
}

/** The gems that define the task `assets:precompile`, or add to it. */
const assetGems = ["sprockets-rails", "propshaft", "sassc-rails", "importmap-rails", "dartsass-rails"];
/** The gems whose part of `assets:precompile` needs the packages of package.json. */
const nodeAssetGems = ["jsbundling-rails", "cssbundling-rails", "vite_rails", "webpacker", "shakapacker"];

/** Whether Rails has assets to build. An app that only has an API lacks the task `assets:precompile`. */
export function hasAssetPipeline({ signs }: Tree): boolean {
  const gems = [...assetGems, ...nodeAssetGems];
  return signs.has("file:app/assets") || gems.some((name) => signs.has(`gem:${name}`));
}

/** Installs the gems, and the Node packages that the assets are built with, and builds the assets. */
export const rails: Recipe = (tree) => {
  const usesNode =
    tree.signs.has("file:package.json") && nodeAssetGems.some((name) => tree.signs.has(`gem:${name}`));
  // Before 7.1, Rails does not know SECRET_KEY_BASE_DUMMY. The assets do not depend on the key.
  const environment =
    "RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1 SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy}";
  const command = hasAssetPipeline(tree) ? "rails assets:precompile" : null;
  const { install, build } = ruby(environment, command)(tree);
  return { install: chain(install, usesNode ? installCommand(tree.packageManager) : null), build };
};

/**
 * Builds the programs of a module into `bin`: its root package and those below `cmd`, or all if it has neither.
 * Without version control information: a folder above the release can be a repository that git must not read.
 */
export const go: Recipe = ({ signs, goProgram }) => {
  const usual = [
    ["file:main.go", "."],
    ["file:cmd", "./cmd/..."],
  ] as const;
  const packages: string[] = usual.flatMap(([sign, pattern]) => (signs.has(sign) ? [pattern] : []));
  const path = goProgram?.path ?? null;
  if (path !== null && !packages.includes(path) && !(path.startsWith("./cmd/") && signs.has("file:cmd")))
    packages.push(path);
  const all = packages.length === 0 ? "./..." : packages.join(" ");
  return { install: null, build: `go build -buildvcs=false -o bin/ ${all}` };
};

/**
 * Installs the gems into the release, because the system's folder needs root. The settings are in `.bundle/config`, where
 * later commands in the release find them; a variable of the installation would not reach those. The gems are in
 * `.bundle` and not in `vendor/bundle`, because Jekyll 3 reads templates there if the site has its own list of excluded
 * files.
 */
function installGems(signs: Tree["signs"]): string {
  const set = (setting: string) => `bundle config set --local ${setting}`;
  return [
    set("path .bundle"),
    set("without development:test"),
    ...(signs.has("file:Gemfile.lock") ? [set("frozen true")] : []),
    "bundle install",
  ].join(" && ");
}

function installPython(signs: Tree["signs"]): string | null {
  if (signs.has("file:uv.lock")) return "uv sync --frozen --no-dev";
  if (signs.has("file:poetry.lock"))
    return "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --only main";
  if (signs.has("file:Pipfile.lock")) return "PIPENV_VENV_IN_PROJECT=1 pipenv sync";
  const venv = "python3 -m venv .venv && .venv/bin/pip install";
  if (signs.has("file:requirements.txt")) return `${venv} -r requirements.txt`;
  // Without these tables, the file has only the settings of tools.
  if (signs.has("toml:project") || signs.has("toml:build-system")) return `${venv} .`;
  if (signs.has("file:Pipfile")) return "PIPENV_VENV_IN_PROJECT=1 pipenv install";
  if (signs.has("toml:tool.poetry"))
    return "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --only main";
  const list = requirementsFile((path) => signs.has(`file:${path}`));
  return list === null ? null : `${venv} -r ${list}`;
}

function withEnvironment(environment: string, command: string): string {
  return environment === "" ? command : `${environment} ${command}`;
}

/** The commands one after the other; null if there are none. */
export function chain(...commands: readonly (string | null)[]): string | null {
  const all = commands.filter((command) => command !== null);
  return all.length === 0 ? null : all.join(" && ");
}
