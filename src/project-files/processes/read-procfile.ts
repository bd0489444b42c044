import { MAX_PROCESSES, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type FileProblem, shown, type Unusable, unusable } from "#project-files/processes/file-problem.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/** The name of the file. */
export const PROCFILE = "Procfile";

/** The commands of a Procfile. `releaseCommand`: that of the line `release:`, which is no process. */
export type Procfile = {
  readonly processes: ReadonlyMap<string, string>;
  readonly releaseCommand: string | null;
};

const RELEASE = "release";
const FORM = "Write one process on each line, such as `web: node server.js`.";

/**
 * Reads a Procfile in the form that Heroku defined: one process on each line, with its name and its command. Empty lines
 * and those that begin with `#` are ignored. A line that is neither is refused, because a process that is silently
 * missing is noticed late.
 */
export function readProcfile(text: string): ResultOf<Procfile, { readonly problem: FileProblem }> {
  const commands = new Map<string, { readonly command: string; readonly line: number }>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = raw.trim();
    const number = index + 1;
    if (line === "" || line.startsWith("#")) continue;
    const read = readLine(line, number);
    if (!read.ok) return read;
    const { name, command } = read.value;
    const earlier = commands.get(name);
    if (earlier !== undefined)
      return refuse(
        number,
        `defines \`${name}\` again, after line ${earlier.line}`,
        "Delete one of the two lines, or give the process another name. Upper and lower case are the same.",
      );
    commands.set(name, { command, line: number });
    if (commands.size > MAX_PROCESSES + (commands.has(RELEASE) ? 1 : 0))
      return refuse(number, `is one process too many: at most ${MAX_PROCESSES} are allowed`, "Remove some.");
  }
  const releaseCommand = commands.get(RELEASE)?.command ?? null;
  commands.delete(RELEASE);
  const processes = new Map([...commands].map(([name, { command }]) => [name, command]));
  return succeed({ processes, releaseCommand });
}

type Line = { readonly name: string; readonly command: string };

function readLine(line: string, number: number): ResultOf<Line, { readonly problem: FileProblem }> {
  const colon = line.indexOf(":");
  if (colon === -1) return refuse(number, `has no colon after the name of a process: ${shown(line)}`, FORM);
  const written = line.slice(0, colon).trim();
  const name = written.toLowerCase();
  if (!ProcessName.safeParse(name).success)
    return refuse(
      number,
      `has ${shown(written)} as the name of a process`,
      "A name has up to 30 letters, digits, hyphens and underscores, and begins with a letter.",
    );
  const command = line.slice(colon + 1).trim();
  if (command === "") return refuse(number, `has no command for \`${name}\``, FORM);
  if (!ShellCommand.safeParse(command).success)
    return refuse(
      number,
      `has a command for \`${name}\` that is longer than 8192 characters or contains a NUL character`,
      "Put the command into a script, and start the script.",
    );
  return succeed({ name, command });
}

function refuse(line: number, what: string, hint: string): Unusable {
  return unusable(`line ${line} of the ${PROCFILE} ${what}`, hint);
}
