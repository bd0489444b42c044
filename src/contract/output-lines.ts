// What lines of a command's output mean. All functions take plain text, without colours, in any case.

/** How tools begin a warning: npm, pnpm, yarn, compilers, pip, PHP, Node, Ruby and Sass. */
const WARNING =
  /^(?:npm warn\b|\s*warn(?:ing)?(?::|\s|$)|.{0,200}\bwarning:\s|\s*\(node:\d+\) |\s*\(use `node --trace-|\s*\[?(?:dep\d{4}|deprecat(?:ed|ion))\b|\s*⚠|package .{1,200} is abandoned)/i;

/** Words of lines about a failure, and how test runners begin the line of a failed test. */
const ERROR =
  /error\b|exception\b|\b(?:fatal|failed|failure|panic|traceback)\b|npm err!|^\s*(?:not ok \d|✖ |fail )/i;

/** Tools print these also when nothing went wrong. */
const NO_ERROR = /\b(?:0|no|without) (?:errors?|failed|failures?)\b/i;

/** Whether the line mentions a failure. */
export function looksLikeError(line: string): boolean {
  return ERROR.test(line) && !NO_ERROR.test(line);
}

/** Whether the line is a warning. A line that also looks like an error is not a warning. */
export function isWarning(line: string): boolean {
  return WARNING.test(line) && !looksLikeError(line);
}

/** Lines about a failure that do not say what failed. Node prints the line of its own code that throws an error. */
const VAGUE =
  /^\s*(?:triggerUncaughtException\(|throw )|^npm (?:error|err!)(?:(?: (?:code|errno|syscall|path|command|workspace|location|lifecycle script)\b| gyp (?:info|http|verb)\b).*| *)$|^\s*at |complete log of this run|^[\Wx]*build failed (?:in|with) /i;

/** How tools begin the line with the error. */
const NAMED = new RegExp(
  [
    // JavaScript, Java, .NET, Ruby's runners: `TypeError: …`, `Error [ERR_X]: …`. Python: the head of its traceback.
    String.raw`^\s*(?:uncaught )?[\w.$]*(?:error|exception)(?: \[\w+\])?: *\S`,
    String.raw`^\s*traceback \(most recent`,
    // Compilers, with the place before it: `a.ts(1,14): error TS2322: …`, `error[E0425]: …`, `main.c:2:11: error: …`.
    String.raw`(?:^|[\s:])error(?:\[\w+\]|\s\w{1,8})?: *\S`,
    String.raw`(?:^|\s)\[error\]`,
    // webpack, test runners, yarn
    String.raw`^\s*error in `,
    String.raw`^\s*fail\s`,
    String.raw`^error [a-z"'\x60]`,
    // npm, pnpm, Vite
    String.raw`^npm (?:error|err!) `,
    String.raw`\berr_pnpm_`,
    String.raw`^\[[a-z]+(?:_[a-z]+)+\] `,
    // git, PHP, Go, Rust
    String.raw`\bfatal(?: error)?: `,
    String.raw`^(?:php )?parse error: `,
    String.raw`^panic: `,
    String.raw`^thread '.*' panicked`,
    String.raw`^\S+\.go:\d+(?::\d+)?: `,
    // Ruby: `build.rb:3:in 'price': undefined method … (NoMethodError)`
    String.raw`^\S+:\d+:in .*\([\w:]*(?:error|exception)\)$`,
  ].join("|"),
  "i",
);

/** Lines that only repeat that a command failed. The line that says why is before or after them. */
const REPEATED =
  /\bexit(?:ed)?(?: with)?(?: code| status)?:? \d|^make(?:\[\d+\])?: \*\*\* |^npm err.* failed$|could not compile|did not complete|subprocess-exited-with-error|elifecycle|error during build:$/i;

/** Messages about a failure that do not have a word for it. */
const PROBLEM =
  /not found\b|\bno such\b|\b(?:cannot|could not|can't|unable to)\b|\b(?:denied|forbidden)\b|\bmissing\b|^\s*killed\b/i;

/** How clearly a line says what failed: 1 names the error, 2 mentions one, 3 only hints at one, such as `not found`. */
export type ErrorRank = 1 | 2 | 3;

/** @returns null if the line says nothing about a failure */
export function errorRank(line: string): ErrorRank | null {
  if (VAGUE.test(line) || WARNING.test(line)) return null;
  if (NAMED.test(line) && !NO_ERROR.test(line)) return REPEATED.test(line) ? 2 : 1;
  if (looksLikeError(line)) return 2;
  return PROBLEM.test(line) ? 3 : null;
}
