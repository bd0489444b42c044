import { readdirSync, readFileSync } from "node:fs";

type Stat = { readonly name: string; readonly state: string; readonly parent: number };

/** Source: proc_pid_stat(5). The name may contain spaces and parentheses, so the fields start after the last parenthesis. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = text.lastIndexOf(")");
    const [state = "", parent = ""] = text.slice(end + 2).split(" ");
    return { name: text.slice(text.indexOf("(") + 1, end), state, parent: Number(parent) };
  } catch {
    return null;
  }
}

function livingPids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/**
 * All descendants of a process that run now. An empty list where the process does not run (`null`). @param besides a
 * process that is left out, with its own descendants
 */
export function descendantsOf(
  pid: number | null,
  besides: number | null = null,
): { readonly pid: number; readonly name: string }[] {
  // All processes of the machine are descendants of 0.
  if (pid === null || pid === 0) return [];
  const stats = livingPids().flatMap((one) => {
    const stat = statOf(one);
    return stat === null || stat.state === "Z" || one === besides ? [] : [{ pid: one, ...stat }];
  });
  const found: { pid: number; name: string }[] = [];
  const parents = new Set([pid]);
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const stat of stats) {
      if (!parents.has(stat.parent) || parents.has(stat.pid)) continue;
      parents.add(stat.pid);
      found.push({ pid: stat.pid, name: stat.name });
      isGrowing = true;
    }
  }
  return found;
}

/** The pid of the workerd process among the descendants of a node process; `null` while there is none. */
export function workerdBelow(pid: number): number | null {
  return descendantsOf(pid).find(({ name }) => name.startsWith("workerd"))?.pid ?? null;
}

/** Sends a signal, unless the process has ended. */
export function signal(pid: number | null, name: NodeJS.Signals): void {
  if (pid === null) return;
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

/** Memory in megabytes, now and at its peak; 0 for a process that has ended. */
export function memoryOf(pid: number | null): { readonly now: number; readonly peak: number } {
  let status = "";
  try {
    status = readFileSync(`/proc/${pid ?? 0}/status`, "latin1");
  } catch {
    // The process has ended.
  }
  const megabytes = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024);
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}
