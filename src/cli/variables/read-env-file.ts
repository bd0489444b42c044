import { MAX_VARIABLES } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { variableError } from "#cli/variables/check-variable.ts";
import { type EnvEntry, type EnvError, readEnv } from "#client/read-env.ts";
import { readText } from "#cli/variables/read-text.ts";

/** Reads the variables of a .env file. Refuses a file with invalid lines, and names all of them. @param path `-` for stdin */
export async function readEnvFile(
  context: CommandContext,
  path: string,
): Promise<Result<readonly EnvEntry[]>> {
  const text = await readText(context, path);
  if (!text.ok) return text;
  const { entries, errors } = readEnv(text.value);
  const all = [...errors, ...entries.flatMap((entry, at) => errorOf(entry, entries.slice(0, at)))];
  if (all.length > 0) {
    const { problem } = stop("usage", `${path} has lines that are not valid. Nothing was done.`);
    const lines = all.toSorted((a, b) => a.line - b.line);
    const shown = lines.map(({ line, message }) => ({ pointer: `line ${line}`, message }));
    return { ok: false, problem: { ...problem, errors: shown } };
  }
  if (entries.length === 0) return stop("usage", `${path} has no variables.`);
  if (entries.length > MAX_VARIABLES)
    return stop(
      "usage",
      `${path} has ${entries.length} variables. A project can have at most ${MAX_VARIABLES}.`,
    );
  return succeed(entries);
}

function errorOf({ line, name, value }: EnvEntry, earlier: readonly EnvEntry[]): EnvError[] {
  // As a secret, which every name can be.
  const message = variableError({ name, value, isSecret: true, build: null });
  if (message !== null) return [{ line, message }];
  const first = earlier.find((other) => other.name === name);
  return first === undefined ? [] : [{ line, message: `sets ${name} again, after line ${first.line}` }];
}
