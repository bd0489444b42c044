import type { InstanceExit } from "#agent/apps/supervisor.ts";
import type { ProcessEnd } from "#build/process/command.ts";

/** How an instance ended, as the end of a command. @param limitMb its memory limit */
export function endOf(exit: InstanceExit | null, limitMb: number | null): ProcessEnd {
  if (exit?.isOutOfMemory === true) return { kind: "out_of_memory", limitMb };
  if (exit?.signal !== null && exit?.signal !== undefined) return { kind: "killed", signal: exit.signal };
  return { kind: "exited", code: exit?.code ?? 0 };
}
