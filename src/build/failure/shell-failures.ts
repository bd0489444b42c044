import type { KnownFailure } from "#build/failure/known-failure.ts";

/** What to do about scripts that were saved on Windows. */
export const LINE_ENDS =
  "A script has the line ends of Windows (CRLF). Write `* text=auto eol=lf` into the file .gitattributes, run `git add --renormalize .`, and commit.";

/** Known failures of scripts that the shell cannot start or read. A carriage return in the output is a line break here. */
export const shellFailures: readonly KnownFailure[] = [
  [
    // env and newer tools show the character, bash before 5.2 writes ^M, dash and others write it as it is.
    /[‘'"][^‘'"\n]*\\r['’"]: (?:No such file|not found)|\benv: [\w.+-]+\\r: No such file|unexpected token .\$'[^'\n]*\\r'|\$'[^'\n]*\\r': (?:command not found|No such file)|'\$'\\r'|\^M: bad interpreter|^: (?:bad interpreter: No such file|not found)|: set: Illegal option -\s*$|: set: -\s*$|: invalid option name\s*$/m,
    () => LINE_ENDS,
  ],
  [/: ([\w.@/-]+): cannot execute: required file not found/, noScript],
  [
    /node_modules\/\.bin\/([\w.-]+): Permission denied|\bsh: (?:line )?(?:\d+: )?([\w@-]+): Permission denied/,
    (path = "", name = "") =>
      `The program ${path || name} is not executable, probably because the repository contains node_modules. Run \`git rm -r --cached node_modules\`, add node_modules to .gitignore, and commit.`,
  ],
  [
    /(?:^|: )((?!\/)[\w./@-]+): [Pp]ermission denied(?! \()|\bspawn(?:Sync)? ((?!\/)[\w./@-]+) EACCES/m,
    (path = "", spawned = "") => notExecutable(path || spawned),
  ],
];

function notExecutable(path: string): string {
  return `The file ${path} is not executable. Run \`git update-index --chmod=+x ${path.replace(/^\.\//, "")}\`, and commit.`;
}

/** What to do about a file of the repository that the shell does not find, or whose interpreter it does not find. */
export function noScript(file: string): string {
  return `The file ${file} does not exist, or its first line names a program that the server does not have. If it was saved on Windows, its line ends are the reason: write \`* text=auto eol=lf\` into .gitattributes, run \`git add --renormalize .\`, and commit.`;
}
