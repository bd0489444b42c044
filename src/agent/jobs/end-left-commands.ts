import type { AgentContext } from "#agent/context/context.ts";
import { readUnfinished, writeCommandNote } from "#agent/jobs/command-notes.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { killProcessesOfRun } from "#build/process/process-table.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** How a command ended that was running when the agent ended. */
export const AGENT_ENDED = "was ended because the agent ended";

/**
 * Ends the one-off commands that ran when an earlier agent process ended: nobody could read how they end. Never throws: a
 * note that cannot be written is written at the next start.
 */
export async function endLeftCommands(
  context: Pick<AgentContext, "isolation" | "clock" | "log">,
  folder: ProjectFolder,
): Promise<void> {
  const unfinished = readUnfinished(folder);
  if (unfinished.length === 0) return;
  const { isolation, clock, log } = context;
  if (isolation.kind === "projects") await isolation.endCommands(folder.id, { kind: "jobs" });
  for (const { note } of unfinished) {
    await killProcessesOfRun(note.id);
    log(`${folder.id}: the command ${note.id} ${AGENT_ENDED}`);
    const finished_at = new Date(clock.now()).toISOString();
    const state = { ...note.state, status: "lost", message: AGENT_ENDED, finished_at } as const;
    await writeCommandNote(folder, { ...note, state }).catch((error: unknown) =>
      log(`${folder.id}: the end of the command ${note.id} cannot be stored: ${messageOf(error)}`),
    );
  }
}
