import { type KnownFailure, missingVariable } from "#build/failure/known-failure.ts";
import { languageFailures } from "#build/failure/language-failures.ts";
import type { ProcessEnd } from "#build/process/command.ts";

const outdated = (file: string, command: string) =>
  `The lock file does not match ${file}. Run \`${command}\` on your own machine, and commit the lock file.`;

/** What a shell prints about a program that it does not find. */
export const NO_PROGRAM = /(?:^|[:\s])(?:line )?\d*:? ?([\w.@/-]+): (?:command )?not found/m;

/** A script of the repository that a shell could not start, because it has no execute permission. */
const NOT_EXECUTABLE = /(?:^|[:\s])(?:line )?\d*:? ?(?:\.\/)?([\w.@/-]+): Permission denied$/m;

/** What a shell or the system prints about a script whose lines end with CRLF. */
const WINDOWS_LINES = /\$'\\r': command not found|\^M: bad interpreter|\benv: .?[\w.]+\\r\b/;

const windowsAdvice =
  "Add the line `*.sh text eol=lf` to .gitattributes, run `git add --renormalize .`, and commit.";

/** A path with a slash is a file of the repository, or of its packages. */
const isOwnFile = (program: string) =>
  program.includes("/") &&
  !/(?:^|\/)(?:node_modules|\.venv|vendor)\//.test(program) &&
  !program.startsWith("/");

/** The hint about a program that a shell does not find. @param otherwise the hint about a program of the server */
export function noProgramHint(program: string, otherwise: string): string {
  return isOwnFile(program)
    ? `\`${program}\` is not in the release, or its first line names a program that the server does not have. A first line with the line ends of Windows (CRLF) does so: ${windowsAdvice.slice(0, 1).toLowerCase()}${windowsAdvice.slice(1)}`
    : otherwise;
}

/** The first match is used. The patterns match within one line, so that a long output takes linear time. */
const knownFailures: readonly KnownFailure[] = [
  ...languageFailures,
  [
    /`npm ci` can only install packages when your package\.json and/,
    () => outdated("package.json", "npm install"),
  ],
  [
    /`?npm ci`? (?:command )?can only install with an existing package-lock\.json/,
    () => "The repository has no package-lock.json. Commit it, or set install_command to `npm install`.",
  ],
  [/ERR_PNPM_OUTDATED_LOCKFILE/, () => outdated("package.json", "pnpm install")],
  [
    /ERR_PNPM_NO_LOCKFILE/,
    () => "The repository has no pnpm-lock.yaml. Run `pnpm install`, and commit the file.",
  ],
  [
    /YN0028|Your lockfile needs to be updated, but yarn was run with/,
    () => outdated("package.json", "yarn install"),
  ],
  [/lockfile had changes, but lockfile is frozen/, () => outdated("package.json", "bun install")],
  [
    /Your lock file does not contain a compatible set of packages|lock file is not up to date with the latest changes in composer\.json/,
    () => outdated("composer.json", "composer update"),
  ],
  [
    /The gemspecs? for .* changed|The dependencies in your gemfile changed/i,
    () => outdated("the Gemfile", "bundle lock"),
  ],
  [/The lockfile at `uv\.lock` needs to be updated/, () => outdated("pyproject.toml", "uv lock")],
  [
    /pyproject\.toml changed significantly since poetry\.lock/,
    () => outdated("pyproject.toml", "poetry lock"),
  ],
  [
    /Your bundle only supports platforms \[/,
    () =>
      "Gemfile.lock is for other platforms. Run `bundle lock --add-platform x86_64-linux`, and commit it.",
  ],
  [
    /JavaScript heap out of memory|Reached heap limit Allocation failed/,
    () =>
      "Node used all the memory that it may use. Set the variable NODE_OPTIONS to `--max-old-space-size=4096`, or give the build more memory.",
  ],
  [
    /ERR_PNPM_UNSUPPORTED_ENGINE|The engine "node" is incompatible with this module|npm (?:error|ERR!) code EBADENGINE/,
    () => "The project needs another version of a tool than the server has.",
  ],
  [
    /Your Ruby version is (\S+), but your Gemfile specified ([^\s,]+)/,
    (has, wants) => `The Gemfile asks for Ruby ${wants}, and the server has ${has}.`,
  ],
  [
    NOT_EXECUTABLE,
    (path) =>
      /(?:^|\/)node_modules\//.test(path)
        ? "Remove node_modules from the repository (`git rm -r --cached node_modules`), and add it to .gitignore: the packages are installed on the server."
        : `\`${path}\` has no execute permission. Run \`git update-index --chmod=+x ${path}\`, and commit.`,
  ],
  [WINDOWS_LINES, () => `A script has the line ends of Windows (CRLF). ${windowsAdvice}`],
  [
    NO_PROGRAM,
    (program) =>
      noProgramHint(
        program,
        `The server has no program \`${program}\`, or it is not in the PATH of builds. If it is in a package, check that the install command installs that package.`,
      ),
  ],
  [
    /Error: Cannot find module '([^'/.][^']*)'/,
    (name) =>
      `The package ${name} is not installed. Check that package.json lists it, and that the install command does not leave out development dependencies.`,
  ],
  [
    /[Mm]issing (?:required )?(?:environment|env) (?:variable|var)s?:? *[`'"]?([A-Z][A-Z0-9_]{1,99})?/,
    missingVariable,
  ],
  [/KeyError: '([A-Z][A-Z0-9_]{2,99})'/, missingVariable],
  [
    /EADDRINUSE|[Aa]ddress already in use/,
    () => "The command listens on a port that is in use. A build command must not start the app.",
  ],
];

/** What to do about a command that was killed because it used too much memory; `null` if it was not. */
export function memoryHint(end: ProcessEnd): string | null {
  if (end.kind !== "out_of_memory") return null;
  return end.limitMb === null
    ? "Give the server more memory or swap, or let the command run fewer processes at once."
    : "Raise limits.memory_mb of the project, or let the command run fewer processes at once.";
}

/**
 * What to do about the failure of an install or build command, if its output shows a known cause.
 * @param output the last lines of the command's output
 */
export function failureHint(output: string): string | null {
  for (const [pattern, hint] of knownFailures) {
    const found = pattern.exec(output);
    if (found !== null) return hint(...found.slice(1).map((group) => group ?? ""));
  }
  return null;
}
