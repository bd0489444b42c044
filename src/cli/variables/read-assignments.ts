import { VariableName } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { ValueSource } from "#cli/variables/read-value.ts";

/** A variable to set. `isSecret`: whether the command line says so; it can be a secret already. */
export type Assignment = { readonly name: string; readonly source: ValueSource; readonly isSecret: boolean };

type Given = {
  /** `NAME=value` */
  readonly plain: readonly string[];
  readonly secrets: readonly string[];
  /** `NAME=path` */
  readonly files: readonly string[];
  readonly stdin: string | null;
};

/** Reads which variables to set, and from where, without reading any value yet. Messages never quote a value. */
export function readAssignments({ plain, secrets, files, stdin }: Given): Result<Assignment[]> {
  const sources: [name: string, source: ValueSource][] = [];
  for (const [at, word] of plain.entries()) {
    const [name, value] = split(word);
    if (value === null)
      return stop(
        "usage",
        `Argument ${at + 1} is not NAME=value. Pass secrets with --secret NAME, and a project with --project.`,
      );
    sources.push([name, { from: "argument", value }]);
  }
  for (const word of files) {
    const [name, path] = split(word);
    if (path === null || path === "") return stop("usage", "--from-file takes NAME=PATH.");
    sources.push([name, { from: "file", path }]);
  }
  if (stdin !== null) sources.push([stdin, { from: "stdin" }]);
  for (const name of secrets) {
    if (name.includes("="))
      return stop(
        "usage",
        "--secret takes only a name. The command asks for the value, because other users of this machine can see arguments, and your shell history keeps them.",
      );
    if (!sources.some(([given]) => given === name)) sources.push([name, { from: "prompt" }]);
  }

  const names = sources.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined && VariableName.safeParse(twice).success)
    return stop("usage", `${twice} is set twice.`);
  for (const name of names) {
    const [issue] = VariableName.safeParse(name).error?.issues ?? [];
    if (issue !== undefined) return stop("usage", `A name is not valid: it ${issue.message}.`);
  }
  return succeed(sources.map(([name, source]) => ({ name, source, isSecret: secrets.includes(name) })));
}

function split(word: string): [name: string, rest: string | null] {
  const at = word.indexOf("=");
  return at === -1 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}
