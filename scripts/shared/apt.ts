import { Problem } from "./problem.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";

/**
 * Installs packages on Debian or a derived system, without starting their services.
 * @param isInstalled whether the programs of the packages are there now
 * @param advice what the user can do if the installation is not possible here
 * @throws Problem
 */
export async function installPackages(
  packages: readonly string[],
  isInstalled: () => Promise<boolean>,
  advice: string,
): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  // The update may fail offline. The existing package lists may be sufficient.
  const updated = await aptGet("update");
  const installed = await aptGet("install", "--yes", "--no-install-recommends", ...packages);
  if (installed.code === 0 && (await isInstalled())) return;
  const failed = [updated, installed].filter(({ code }) => code !== 0);
  throw new Problem([...failed.map(lastLines), advice].join("\n"));
}

function aptGet(...args: readonly string[]): Promise<CommandOutcome> {
  // Waits for another apt. Limits the time for a host that does not respond.
  const timeouts = ["DPkg::Lock::Timeout=120", "Acquire::http::Timeout=30", "Acquire::https::Timeout=30"];
  return runCommand(["apt-get", ...timeouts.flatMap((option) => ["-o", option]), ...args], {
    env: { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
}

/** The last lines that a failed program printed. */
export function lastLines({ output }: CommandOutcome): string {
  return output.trim().split("\n").slice(-5).join("\n");
}
