import { PHP_SERVER } from "#project-files/frameworks/servers/php-server.ts";
import { hugoFiles } from "#project-files/frameworks/site-configs.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

/** The tools that a program needs. A program that is no tool itself comes with the first of them. */
const programs: ReadonlyMap<string, readonly Tool[]> = new Map<string, readonly Tool[]>([
  ["node", ["node"]],
  // npm comes with Node, except in Debian.
  ["npm", ["node", "npm"]],
  ["npx", ["node", "npm"]],
  ["pnpm", ["pnpm", "node"]],
  ["pnpx", ["pnpm", "node"]],
  ["yarn", ["yarn", "node"]],
  ["bun", ["bun"]],
  ["bunx", ["bun"]],
  ["deno", ["deno"]],
  ["ruby", ["ruby"]],
  ["bundle", ["ruby"]],
  ["gem", ["ruby"]],
  ["rake", ["ruby"]],
  ["jekyll", ["ruby"]],
  ["rails", ["ruby"]],
  ["python3", ["python"]],
  ["python", ["python"]],
  ["pip", ["python"]],
  ["pipenv", ["python"]],
  ["poetry", ["poetry", "python"]],
  // uv downloads the version of Python that the project asks for.
  ["uv", ["uv"]],
  ["php", ["php"]],
  ["composer", ["php"]],
  [PHP_SERVER, ["php"]],
  ["go", ["go"]],
  ["cargo", ["rust"]],
  ["hugo", ["hugo"]],
  ["zola", ["zola"]],
  ["mdbook", ["mdbook"]],
]);

/** The tools that a program needs; `null` for other programs. */
export function toolsOf(program: string): readonly Tool[] | null {
  return programs.get(program) ?? null;
}

/** The program by which a tool is started. */
export function programOf(tool: Tool): string {
  if (tool === "python") return "python3";
  return tool === "rust" ? "cargo" : tool;
}

/** The files that make a preset start a program. */
const reasons: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["package-lock.json", "npm-shrinkwrap.json", "package.json"]],
  ["npx", ["package.json"]],
  ["pnpm", ["pnpm-lock.yaml", "package.json"]],
  ["yarn", ["yarn.lock", "package.json"]],
  ["bun", ["bun.lock", "bun.lockb", "package.json"]],
  ["node", ["package.json"]],
  ["bundle", ["Gemfile"]],
  ["ruby", ["Gemfile"]],
  ["composer", ["composer.json"]],
  ["php", ["composer.json"]],
  ["python3", ["requirements.txt", "pyproject.toml", "Pipfile", "manage.py"]],
  ["uv", ["uv.lock"]],
  ["poetry", ["poetry.lock", "pyproject.toml"]],
  ["pipenv", ["Pipfile.lock", "Pipfile"]],
  ["go", ["go.mod"]],
  ["cargo", ["Cargo.toml"]],
  ["hugo", [...hugoFiles, "config.toml", "config.yaml", "config.yml", "config.json"]],
  ["zola", ["zola.toml", "config.toml"]],
  ["mdbook", ["book.toml"]],
]);

/** The file of a folder that makes a preset start a program; `null` if there is none. */
export function reasonFor(program: string, names: readonly string[]): string | null {
  return reasons.get(program)?.find((name) => names.includes(name)) ?? null;
}

/** Commands of the shell itself, which are no files. */
const builtins: ReadonlySet<string> = new Set([
  "cd",
  "export",
  "set",
  "test",
  "[",
  ":",
  "true",
  "false",
  "umask",
]);

/**
 * The programs of a command chain as presets write them. Programs with a slash in their path are created by the
 * build.
 */
export function programsOf(command: string): readonly string[] {
  return startedBy(command).filter((program) => !program.includes("/"));
}

/** What a command chain starts: programs and scripts. */
export function startedBy(command: string): readonly string[] {
  return command.split(/&&|\|\||[;|&\n]/).flatMap((part) => {
    const word = part.split(/\s+/).find((one) => one !== "" && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(one));
    return word === undefined || builtins.has(word) ? [] : [word];
  });
}
