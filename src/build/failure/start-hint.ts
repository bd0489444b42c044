import { basename } from "node:path/posix";

import { failureHint, NO_PROGRAM } from "#build/failure/failure-hint.ts";
import { noScript } from "#build/failure/shell-failures.ts";
import type { KnownFailure } from "#build/failure/known-failure.ts";

const missing = (name: string) =>
  `Set the variable${name === "" ? "" : ` ${name}`} in the project. Instances get all variables and secrets.`;

/** Failures that mean something else for an app than for a build. */
const startFailures: readonly KnownFailure[] = [
  [
    /gantry-php: PHP is missing/,
    () => "Install PHP on the server, on Debian with: apt-get install php-cli php-fpm. Then deploy again.",
  ],
  [
    /gantry-php: PHP-FPM (\S*) is missing/,
    (version = "") =>
      `Install PHP-FPM on the server, on Debian with: apt-get install php${version}-fpm. Then deploy again.`,
  ],
  [
    /\bheroku-php-(?:apache2|nginx)\b.*(?:not found|No such file)/,
    () =>
      "Heroku adds the program heroku-php-apache2. Write `web: gantry-php public` into the Procfile, with the folder for visitors: it runs PHP-FPM. Without the line, an app of PHP is started in this way by itself.",
  ],
  [
    /\b(?:bin\/)?start-(?:nginx|pgbouncer|stunnel)\b.*(?:not found|No such file)/,
    () =>
      "A buildpack of Heroku adds this program. Start the app without it: the ingress does what nginx did, and a connection pool is a program of the server.",
  ],
  [
    /(?:[Nn]o such file|ENOENT)[^\n]{0,300}(?:\/letsencrypt\/|(?:privkey|fullchain|server|key|cert)\.(?:pem|key|crt)\b)/,
    () =>
      "The ingress has the certificate and speaks TLS with visitors. The app must speak plain HTTP on the port in the variable PORT, without files of a certificate.",
  ],
  // What the first process of a container says.
  [
    /failed to exec pid1: No such file/,
    () =>
      "The image does not have the program that its command begins with. A line with shell syntax needs /bin/sh in the image: without it, write the words of the program alone.",
  ],
  [
    /failed to exec pid1: Permission denied/,
    () =>
      "The user of the image may not run the program that its command begins with. Make it executable in the Dockerfile.",
  ],
  [
    /failed to exec pid1: Exec format error/,
    () =>
      "The program that the command begins with is not for the processor of this server, or it is a script without `#!` in its first line.",
  ],
  [
    NO_PROGRAM,
    (program) =>
      program.includes("/") && !program.includes("node_modules")
        ? noScript(program)
        : `The server has no program \`${program}\`, or it is not in the PATH of processes. Write the path of a package's program, such as \`node_modules/.bin/${basename(program)}\` or \`.venv/bin/${basename(program)}\`.`,
  ],
  [
    /EADDRINUSE|[Aa]ddress (?:is )?already in use/,
    () => "The app listens on a port that is in use. Let it listen on the port in the variable PORT.",
  ],
  [
    /EACCES[^\n]{0,60}:(?:80|443)\b|[Pp]ermission denied[^\n]{0,60}:(?:80|443)\b|bind\(\) to \S{1,60}:(?:80|443) failed/,
    () =>
      "The app listens on port 80 or 443, which belongs to the ingress. Let it listen on the port in the variable PORT, without TLS.",
  ],
  [
    /[Mm]issing (?:required )?(?:environment|env) (?:variable|var)s?:? *[`'"]?([A-Z][A-Z0-9_]{1,99})?/,
    missing,
  ],
  [
    /\b([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})[`'"]? (?:must be set|(?:is |was )?(?:not (?:set|defined)|missing|required|undefined))\b/,
    missing,
  ],
  [/KeyError: '([A-Z][A-Z0-9_]{2,99})'/, missing],
  [/Set the ([A-Z][A-Z0-9_]{1,99}) environment variable/, missing],
  [/The (SECRET_KEY) setting must not be empty/, missing],
  [/UndefinedValueError: ([A-Z][A-Z0-9_]{1,99}) not found/, missing],
  [
    /Missing encryption key to decrypt file with|Missing `secret_key_base`/,
    () => missing("RAILS_MASTER_KEY"),
  ],
];

/**
 * What to do about an instance that ended, if its output shows a known cause.
 * @param output the last lines of its output
 */
export function startHint(output: string): string | null {
  for (const [pattern, hint] of startFailures) {
    const found = pattern.exec(output);
    if (found !== null) return hint(...found.slice(1).map((group) => group ?? ""));
  }
  return failureHint(output);
}

/** What to do about an instance that ended without an error. */
export const ENDED_WITHOUT_ERROR =
  "The command ended without an error, so nothing is left to answer. It must stay in the foreground: without `&`, with `pm2-runtime` instead of `pm2 start`, and without an option such as `--daemon`. What runs once belongs into the release command or a cron job.";

/** Programs print where they listen: `http://localhost:3000`, `0.0.0.0:3000`, `port 3000`. */
const PORT_IN_OUTPUT = /(?:\bport:? |:)(\d{2,5})\b(?![:.\d-])/gi;

/** What to do about an instance that runs, and does not listen on its port. */
export function portHint(output: string, port: number): string {
  const others = [...output.matchAll(PORT_IN_OUTPUT)].map(([, digits]) => Number(digits));
  const other = others.find((found) => found !== port && found > 79 && found < 65_536);
  const what =
    other === undefined
      ? "The app must listen on the port in the variable PORT"
      : `The app seems to listen on port ${other}. It must listen on the port in the variable PORT`;
  return `${what}, at 127.0.0.1 or at all addresses. An app that answers no requests, such as a bot, is a process without a port: name it otherwise in a Procfile (\`worker: COMMAND\`), or set its \`port\` to false.`;
}
