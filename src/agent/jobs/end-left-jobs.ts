import type { AgentContext } from "#agent/context/context.ts";
import { readUnfinished, writeCommandNote } from "#agent/jobs/command-notes.ts";
import { markerOf, readUnfinishedRuns, writeRunNote } from "#agent/jobs/cron/run-notes.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { killProcessesOfRun } from "#build/process/process-table.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** How a job ended that was running when the agent ended. */
export const AGENT_ENDED = "was ended because the agent ended";

/**
 * Ends the jobs that an earlier agent process left running, because their output and end can no longer be read. Never throws:
 * a note that cannot be written is written at the next start.
 */
export async function endLeftJobs(
  context: Pick<AgentContext, "isolation" | "clock" | "log">,
  folder: ProjectFolder,
): Promise<void> {
  const { isolation, clock, log } = context;
  const end = () => ({
    ...{ status: "lost" as const, message: AGENT_ENDED },
    finished_at: new Date(clock.now()).toISOString(),
  });
  const commands = readUnfinished(folder).map(({ note }) => ({
    marker: note.id,
    what: `the command ${note.id}`,
    store: () => writeCommandNote(folder, { ...note, state: { ...note.state, ...end() } }),
  }));
  const runs = readUnfinishedRuns(folder).map((note) => ({
    marker: markerOf(folder, note.job, note.run.number),
    what: `run ${note.run.number} of ${note.job}`,
    store: () => writeRunNote(folder, { ...note, run: { ...note.run, ...end() } }),
  }));
  const left = [...commands, ...runs];
  if (left.length === 0) return;
  if (isolation.kind === "projects") await isolation.endCommands(folder.id, { kind: "jobs" });
  for (const { marker, what, store } of left) {
    await killProcessesOfRun(marker);
    log(`${folder.id}: ${what} ${AGENT_ENDED}`);
    await store().catch((error: unknown) =>
      log(`${folder.id}: the end of ${what} cannot be stored: ${messageOf(error)}`),
    );
  }
}
