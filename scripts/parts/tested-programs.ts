import { installPackages } from "./apt.ts";
import { findProgram } from "./find-program.ts";
import { print } from "./terminal.ts";

/** What the agent's tests run besides git. Each is in the Debian package of its name. */
const programs = ["nginx", "caddy", "git-lfs"];

async function findMissing(): Promise<readonly string[]> {
  const found = await Promise.all(programs.map((program) => findProgram([program])));
  return programs.filter((_, at) => found[at] === null);
}

/**
 * Installs what is missing of the programs that the agent is tested with.
 * @throws Problem that says what to do, where that cannot be done here
 */
export async function ensureTestedPrograms(): Promise<void> {
  const missing = await findMissing();
  if (missing.length === 0) return;
  const names = missing.join(", ");
  print(`Installing ${names} for the tests of the agent`);
  const advice = `The agent is tested with ${names}. Install them, such as with: apt-get install ${missing.join(" ")}`;
  await installPackages(missing, async () => (await findMissing()).length === 0, advice);
  print(`Installed ${names}`);
}
