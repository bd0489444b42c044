import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

import { CHANGED_SETTINGS } from "#agent/context/settings.ts";
import { SUPERVISOR_LOG } from "#agent/supervisor/state-file.ts";
import { attempt } from "#node/attempt.ts";

/**
 * The variables of the agent that the supervisor gets. Instances get only the variables that the agent sends with them.
 */
const inherited = ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "NODE_COMPILE_CACHE", CHANGED_SETTINGS] as const;

/**
 * Starts the supervisor of a home as a process that outlives the agent: in a session of its own, with its own log file and
 * without the agent's open files.
 * @param program the agent's file
 * @returns null if it cannot be started
 */
export function startSupervisor(
  home: string,
  program: string,
  environment: NodeJS.ProcessEnv,
): ChildProcess | null {
  const log = attempt(() => openSync(join(home, SUPERVISOR_LOG), "a", 0o600), null);
  const env = Object.fromEntries(inherited.map((name) => [name, environment[name]]));
  try {
    const child = spawn(process.execPath, [program, "supervise", "--home", home], {
      cwd: "/",
      env,
      detached: true,
      stdio: ["ignore", log ?? "ignore", log ?? "ignore"],
    });
    child.on("error", () => undefined);
    child.unref();
    return child;
  } catch {
    return null;
  } finally {
    if (log !== null) closeSync(log);
  }
}
