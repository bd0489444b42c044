import type { AgentContext } from "#agent/context/context.ts";
import type { GroupLedger } from "#agent/process/run-process.ts";
import type { CommandScope, RunLog } from "#agent/run/step/run-scope.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * For a command that belongs to no run, or to one that is over. Nobody reads a deployment's log of that; the person at
 * the server does.
 * @param marker what its processes are found by
 */
export function scopeOutsideRun(
  context: AgentContext,
  folder: ProjectFolder,
  marker: string,
  ledger: GroupLedger,
): CommandScope {
  return { context, folder, marker, ledger, mask: (text) => text, log: sayingLog(context), room: () => null };
}

function sayingLog(context: AgentContext): RunLog {
  return {
    line: (_stream, _stage, message) => context.log(`  ${message}`),
    system: (_stage, message) => context.log(message),
    isFull: false,
  };
}
