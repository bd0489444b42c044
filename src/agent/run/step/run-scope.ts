import type { AgentContext } from "#agent/context/context.ts";
import type { Mask } from "#contract/mask.ts";
import type { GroupLedger } from "#agent/process/run-process.ts";
import type { Reporter } from "#agent/report/reporter.ts";
import type { Interrupt } from "#agent/run/step/interrupt.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { RunJournal } from "#agent/workspace/run-journal.ts";
import type { RunOrder } from "#contract/agent-protocol.ts";
import type { LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";

/** What running a command for a project takes, be it in a run or not. */
export type CommandScope = {
  readonly context: AgentContext;
  readonly folder: ProjectFolder;
  /** Marks the processes that are started. */
  readonly marker: string;
  readonly ledger: GroupLedger;
  readonly mask: Mask;
  readonly log: RunLog;
  /** `null` while the log has room for more; otherwise resolves when it has again. */
  readonly room: () => Promise<void> | null;
};

/** What every stage of one run works with. */
export type RunScope = CommandScope & {
  readonly order: RunOrder;
  readonly journal: RunJournal;
  readonly reporter: Reporter;
  readonly interrupt: Interrupt;
};

/** The deployment's log as this run writes it: masked, timed, and not without end. */
export type RunLog = {
  line(stream: LogStream, stage: LogStage, message: string): void;
  /** A line in Gantry's own words. */
  system(stage: LogStage, message: string): void;
  /** Whether it takes no more of what commands write, and never will again. */
  readonly isFull: boolean;
};
