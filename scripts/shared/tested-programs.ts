import { installPackages } from "./apt.ts";
import { missingPrograms } from "./find-program.ts";
import { print } from "./terminal.ts";

/** The programs that tests run besides Node and git, by project. Each is in the Debian package of the same name. */
const programs = {
  agent: ["nginx", "caddy", "git-lfs"],
  journeys: ["busybox", "shellcheck"],
} as const;

/**
 * Installs the missing programs that a project's tests run.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureTestedPrograms(project: keyof typeof programs): Promise<void> {
  const missing = await missingPrograms(programs[project]);
  if (missing.length === 0) return;
  const names = missing.join(", ");
  print(`Installing ${names} for the tests`);
  const advice = `The tests of the ${project} project run ${names}. Install them, for example with: apt-get install ${missing.join(" ")}`;
  await installPackages(missing, async () => (await missingPrograms(missing)).length === 0, advice);
  print(`Installed ${names}`);
}
