import { type KnownFailure, missingVariable } from "#build/failure/known-failure.ts";
import { languageFailures } from "#build/failure/language-failures.ts";
import { nodeFailures, unlikelyNodeFailures } from "#build/failure/node-failures.ts";
import { noScript, shellFailures } from "#build/failure/shell-failures.ts";
import type { ProcessEnd } from "#build/process/command.ts";

const outdated = (file: string, command: string) =>
  `The lock file does not match ${file}. Run \`${command}\` on your own machine, and commit the lock file.`;

/** What a shell prints about a program that it does not find. */
export const NO_PROGRAM = /(?:^|[:\s])(?:line )?\d*:? ?([\w.@/-]+): (?:command )?not found/m;

/** What to do about such a program. A program with a path is a file of the repository. */
export function noProgram(program: string): string {
  if (program.includes("/")) return noScript(program);
  return `The server has no program \`${program}\`, or it is not in the PATH of builds. If it is in a package, check that the install command installs that package: with NODE_ENV=production, development dependencies are left out.`;
}

/** The first match is used. The patterns match within one line, so that a long output takes linear time. */
const knownFailures: readonly KnownFailure[] = [
  ...shellFailures,
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
  ...nodeFailures,
  [
    /ERR_PNPM_UNSUPPORTED_ENGINE|The engine "node" is incompatible with this module|npm (?:error|ERR!) code EBADENGINE/,
    () => "The project needs another version of a tool than the server has.",
  ],
  [
    /Your Ruby version is (\S+), but your Gemfile specified ([^\s,]+)/,
    (has, wants) => `The Gemfile asks for Ruby ${wants}, and the server has ${has}.`,
  ],
  [
    /bundler: command not found: ([\w.-]+)/,
    (program) =>
      `No gem of the Gemfile has the program \`${program}\`: add its gem, and commit Gemfile.lock.`,
  ],
  [NO_PROGRAM, noProgram],
  [
    /[Mm]issing (?:required )?(?:environment|env) (?:variable|var)s?:? *[`'"]?([A-Z][A-Z0-9_]{1,99})?/,
    missingVariable,
  ],
  [/KeyError: '([A-Z][A-Z0-9_]{2,99})'/, missingVariable],
  [
    /EADDRINUSE|[Aa]ddress already in use/,
    () => "The command listens on a port that is in use. A build command must not start the app.",
  ],
  ...unlikelyNodeFailures,
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
