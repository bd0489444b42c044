import { installPackages } from "./apt.ts";
import { missingPrograms } from "./find-program.ts";
import { print } from "./terminal.ts";

/** The programs that tests run besides Node and git, by what the names of their projects contain. */
const programs = {
  agent: ["nginx", "caddy", "git-lfs", "sshd", "ssh"],
  command: ["sshd", "ssh"],
  browser: ["sshd", "ssh"],
  journeys: ["busybox", "shellcheck"],
  server: ["sshd", "haproxy"],
} as const;

/** The Debian packages of programs that have another name. */
const packages: Readonly<Record<string, string>> = { sshd: "openssh-server", ssh: "openssh-client" };

/**
 * Installs the missing programs that a project's tests run.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureTestedPrograms(project: keyof typeof programs): Promise<void> {
  const missing = await missingPrograms(programs[project]);
  if (missing.length === 0) return;
  const names = missing.join(", ");
  print(`Installing ${names} for the tests`);
  const needed = missing.map((name) => packages[name] ?? name);
  const advice = `The tests of the ${project} project run ${names}. Install them, for example with: apt-get install ${needed.join(" ")}`;
  await installPackages(needed, async () => (await missingPrograms(missing)).length === 0, advice);
  print(`Installed ${names}`);
}
