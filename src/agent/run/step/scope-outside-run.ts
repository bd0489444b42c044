import type { AgentContext } from "#agent/context/context.ts";
import type { GroupLedger } from "#agent/process/run-process.ts";
import type { CommandScope, RunLog } from "#agent/run/step/run-scope.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/**
 * The scope of a command outside a run, or of a run that has ended. Its output goes to the agent's log instead of a
 * deployment's.
 * @param marker identifies the command's processes
 */
export function scopeOutsideRun(
  context: AgentContext,
  folder: ProjectFolder,
  marker: string,
  ledger: GroupLedger,
): CommandScope {
  return { context, folder, marker, ledger, mask: (text) => text, log: agentLog(context), room: () => null };
}

function agentLog(context: AgentContext): RunLog {
  return {
    line: (_stream, _stage, message) => context.log(`  ${message}`),
    system: (_stage, message) => context.log(message),
    isFull: false,
  };
}
