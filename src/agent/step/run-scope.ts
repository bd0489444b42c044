import type { AgentContext } from "#agent/context/context.ts";
import type { Mask } from "#contract/mask.ts";
import type { GroupLedger } from "#build/process/run-process.ts";
import type { Reporter } from "#agent/report/reporter.ts";
import type { Interrupt } from "#agent/step/interrupt.ts";
import type { OpenVariables } from "#agent/secrets/open-variables.ts";
import { maskSecrets } from "#agent/secrets/mask-secrets.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { RunJournal } from "#agent/workspace/run-journal.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { Limits } from "#contract/endpoints/projects/settings.ts";
import type { LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";

/** What is needed to run a command for a project, within a run or outside of one. */
export type CommandScope = {
  readonly context: AgentContext;
  readonly projectId: ProjectId;
  readonly folder: ProjectFolder;
  /** The marker in the environment of started processes. */
  readonly marker: string;
  readonly ledger: GroupLedger;
  readonly mask: Mask;
  readonly log: RunLog;
  /** The project's limits; `null` outside a run, where those of the release apply. */
  readonly limits: Limits | null;
  /** `null` while the log has room; otherwise a promise that resolves when it has room again. */
  readonly room: () => Promise<void> | null;
};

/** What every stage of a run uses. */
export type RunScope = CommandScope & {
  readonly order: RunOrder;
  readonly variables: OpenVariables;
  readonly journal: RunJournal;
  readonly reporter: Reporter;
  readonly interrupt: Interrupt;
};

/** The deployment's log: lines are masked, get a time, and are limited in total. */
export type RunLog = {
  line(stream: LogStream, stage: LogStage, message: string): void;
  /** A line of Gantry itself. */
  system(stage: LogStage, message: string): void;
  /** Whether the log accepts no more command output. */
  readonly isFull: boolean;
};

/**
 * The scope of a command outside a run, or of a run that has ended. Its output goes to the agent's log instead of a
 * deployment's.
 * @param marker identifies the command's processes
 */
export function scopeOutsideRun(
  context: AgentContext,
  projectId: ProjectId,
  marker: string,
  ledger: GroupLedger,
): CommandScope {
  const log: RunLog = {
    line: (_stream, _stage, message) => context.log(`  ${message}`),
    system: (_stage, message) => context.log(message),
    isFull: false,
  };
  const folder = projectFolder(context.home, projectId);
  return {
    context,
    projectId,
    folder,
    marker,
    ledger,
    mask: (text) => text,
    log,
    limits: null,
    room: () => null,
  };
}

/** The same scope, whose log hides these values too. */
export function hideSecrets(scope: CommandScope, values: readonly string[]): CommandScope {
  const mask = maskSecrets(values, scope.mask);
  const { log } = scope;
  return {
    ...scope,
    mask,
    log: {
      line: (stream, stage, message) => log.line(stream, stage, mask(message)),
      system: (stage, message) => log.system(stage, mask(message)),
      get isFull() {
        return log.isFull;
      },
    },
  };
}
