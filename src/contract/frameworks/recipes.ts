import { installCommand, scriptCommand, toolCommand } from "#contract/frameworks/package-manager.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

/** The commands that build a project; null for those that it does not need. */
export type Commands = { readonly install: string | null; readonly build: string | null };

/** Returns the commands for a project. */
export type Recipe = (tree: Tree) => Commands;

/** Nothing to install and nothing to build. */
export const noCommands: Commands = { install: null, build: null };

/** Installs the packages, then runs the first of the scripts that exists in package.json, or else the framework's own tool. */
export function node(scripts: readonly string[], tool: string | null): Recipe {
  return ({ signs, packageManager }) => {
    const script = scripts.find((name) => signs.has(`script:${name}`));
    const run =
      script === undefined
        ? tool === null
          ? null
          : toolCommand(packageManager, tool)
        : scriptCommand(packageManager, script);
    return { install: installCommand(packageManager), build: run };
  };
}

/** Installs the Composer packages, and builds the assets if package.json has a build script. */
export const php: Recipe = (tree) => {
  const assets = tree.signs.has("script:build") ? node(["build"], null)(tree) : noCommands;
  const composer = "composer install --no-dev --no-interaction --optimize-autoloader";
  return { install: chain(composer, assets.install), build: assets.build };
};

/** Installs the packages into `.venv`, with the tool whose package list exists, and runs a command from them. */
export function python(command: string | null): Recipe {
  return ({ signs }) => {
    const install = installPython(signs);
    return { install, build: install === null || command === null ? command : `.venv/bin/${command}` };
  };
}

/** Installs the gems if there is a Gemfile, and runs a command from them. */
export function ruby(environment: string, command: string): Recipe {
  return ({ signs }) =>
    signs.has("file:Gemfile")
      ? { install: "bundle install", build: `${environment} bundle exec ${command}` }
      : { install: null, build: `${environment} ${command}` };
}

function installPython(signs: ReadonlySet<string>): string | null {
  if (signs.has("file:uv.lock")) return "uv sync --frozen";
  if (signs.has("file:poetry.lock"))
    return "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction";
  if (signs.has("file:Pipfile.lock")) return "PIPENV_VENV_IN_PROJECT=1 pipenv sync";
  const venv = "python3 -m venv .venv && .venv/bin/pip install";
  if (signs.has("file:requirements.txt")) return `${venv} -r requirements.txt`;
  return signs.has("file:pyproject.toml") ? `${venv} .` : null;
}

function chain(...commands: readonly (string | null)[]): string | null {
  const all = commands.filter((command) => command !== null);
  return all.length === 0 ? null : all.join(" && ");
}
