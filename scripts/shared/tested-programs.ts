import { installPackages } from "./apt.ts";
import { findProgram } from "./find-program.ts";
import { print } from "./terminal.ts";

/** What tests run besides Node and git, by project. Each program is in the Debian package of its name. */
const programs = {
  agent: ["nginx", "caddy", "git-lfs"],
  journeys: ["busybox", "shellcheck"],
} as const;

/**
 * Installs what is missing of the programs that a project's tests run.
 * @throws Problem that says what to do, where that cannot be done here
 */
export async function ensureTestedPrograms(project: keyof typeof programs): Promise<void> {
  const missing = await findMissing(programs[project]);
  if (missing.length === 0) return;
  const names = missing.join(", ");
  print(`Installing ${names} for the tests`);
  const advice = `The tests of the ${project} project run ${names}. Install them, such as with: apt-get install ${missing.join(" ")}`;
  await installPackages(missing, async () => (await findMissing(missing)).length === 0, advice);
  print(`Installed ${names}`);
}

async function findMissing(names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => findProgram([name])));
  return names.filter((_, at) => found[at] === null);
}
