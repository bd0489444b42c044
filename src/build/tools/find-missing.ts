import { findProgram } from "#build/tools/find-program.ts";
import { lacksVenv } from "#build/tools/lacks-venv.ts";
import { programsOf } from "#project-files/frameworks/tools/command-tools.ts";

/** What a machine lacks. `name`: for a sentence. `program`: what to install. */
export type Missing = { readonly name: string; readonly program: string };

/**
 * Finds out which programs of a preset's commands are not on the PATH, and whether Python lacks the module venv.
 * @param ownPath the programs that may be started: others can be a project's own
 */
export async function findMissing(
  commands: readonly string[],
  path: string,
  ownPath = path,
): Promise<readonly Missing[]> {
  const missing: Missing[] = [];
  for (const program of new Set(commands.flatMap(programsOf)))
    if ((await findProgram(program, path)) === null) missing.push({ name: program, program });
  const [python, own] = await Promise.all([findProgram("python3", path), findProgram("python3", ownPath)]);
  if (python?.path === own?.path && (await lacksVenv(commands, ownPath)))
    missing.push({ name: "the module venv of python3", program: "python3" });
  return missing;
}
