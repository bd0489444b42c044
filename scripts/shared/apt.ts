import { Problem } from "./problem.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";

/**
 * Installs packages of Debian or of what is made of it, and starts none of their services.
 * @param isThere whether what they are for has come
 * @param advice what to do by hand where that cannot be done here
 * @throws Problem
 */
export async function installPackages(
  packages: readonly string[],
  isThere: () => Promise<boolean>,
  advice: string,
): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  // A list of packages that is there may be good enough, and a new one may be out of reach.
  const updated = await aptGet("update");
  const installed = await aptGet("install", "--yes", "--no-install-recommends", ...packages);
  if (installed.code === 0 && (await isThere())) return;
  const failed = [updated, installed].filter(({ code }) => code !== 0);
  throw new Problem([...failed.map(lastLines), advice].join("\n"));
}

function aptGet(...args: readonly string[]): Promise<CommandOutcome> {
  // Another program may just be installing something; a host that does not answer is not worth minutes.
  const patience = ["DPkg::Lock::Timeout=120", "Acquire::http::Timeout=30", "Acquire::https::Timeout=30"];
  return runCommand(["apt-get", ...patience.flatMap((option) => ["-o", option]), ...args], {
    env: { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
}

/** The end of what a program that failed has printed. */
export function lastLines({ output }: CommandOutcome): string {
  return output.trim().split("\n").slice(-5).join("\n");
}
