import { readFileSync } from "node:fs";

/** A process by its number and its start (clock ticks since boot), because numbers are given out again. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string | null };

/** What the kernel tells of a process; `null` where there is no /proc, or no such process. Source: proc(5) */
function look(pid: number): { readonly state: string; readonly startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may hold spaces; these are the third and the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return null;
  }
}

export function identify(pid: number): ProcessIdentity {
  return { pid, startedAt: look(pid)?.startedAt ?? null };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const now = look(pid);
  // Ended, and only not yet collected by a parent that may never do it.
  if (now?.state === "Z") return false;
  return startedAt === null || now === null || now.startedAt === startedAt;
}

/** Ends everything in the process group that `pid` leads or led. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left, as it should be.
  }
}
