import { hasCode } from "#node/has-code.ts";
import { readProcessStat } from "#node/processes.ts";

/** A process by its pid and its start time, because pids are reused. `startedAt` is null without /proc. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string | null };

export function identify(pid: number): ProcessIdentity {
  return { pid, startedAt: readProcessStat(pid)?.startTime ?? null };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, "EPERM")) return false;
  }
  const stat = readProcessStat(pid);
  if (stat?.isDead === true) return false;
  return startedAt === null || stat === null || stat.startTime === startedAt;
}
