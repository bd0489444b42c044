import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { pause } from "#contract/lib/pause.ts";
import type { Leftover } from "#agent/lifecycle/recover.ts";
import { postEvents } from "#agent/report/post-events.ts";
import { reportResult } from "#agent/report/report-result.ts";
import { createReporter } from "#agent/report/reporter.ts";
import { openSpool, removeSpool, reopenSpool, type Spool } from "#agent/report/spool.ts";
import type { Turn } from "#agent/run/project-turns.ts";
import { reactivate } from "#agent/run/activate/revert.ts";
import { scopeOutsideRun } from "#agent/step/run-scope.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { continueJournal } from "#agent/workspace/run-journal.ts";
import type { ActiveRun } from "#contract/agent-protocol.ts";

/**
 * Finishes an interrupted run: runs the activate command of the release that is served again, and delivers the
 * missing output and the result.
 * @param turn ended when the project's folder is no longer changed
 */
export async function reportLeftover(
  context: AgentContext,
  folder: ProjectFolder,
  leftover: Leftover,
  signal: AbortSignal,
  turn: Turn,
): Promise<void> {
  const { run } = leftover.entry;
  const journal = continueJournal(folder, { ...leftover.entry, groups: [] });
  const scope = scopeOutsideRun(context, run.project_id, run.run_id, journal);
  await reactivate(scope, leftover.reactivate, leftover.entry.activate_seconds);
  journal.decide(leftover.result);
  turn.end();

  const ackedSeq = await fetchAckedSeq(context, run, signal);
  if (ackedSeq === null) {
    if (signal.aborted) return;
    removeSpool(folder, run.run_id);
    return journal.remove();
  }
  const reporter = createReporter({
    context,
    run,
    ...(await openRemains(context, folder, run, ackedSeq)),
    ackedSeq,
    onInstruction: () => undefined,
  });
  signal.addEventListener("abort", () => reporter.close(), { once: true });
  if (signal.aborted) return reporter.close();
  await reportResult(context, reporter, run.project_id, leftover.result);
  await reporter.delivered();
  journal.remove();
}

/**
 * Opens the undelivered events of the earlier agent process. Drops them if the control plane lacks events before them,
 * because it accepts no gap.
 */
async function openRemains(
  context: AgentContext,
  folder: ProjectFolder,
  { run_id }: ActiveRun,
  ackedSeq: number,
): Promise<{ readonly spool: Spool; readonly firstSeq: number }> {
  const { maxSpoolBytes } = context.settings;
  const remains = await reopenSpool(folder, run_id, maxSpoolBytes);
  if (remains !== null && remains.firstSeq <= ackedSeq + 1)
    return { spool: remains.spool, firstSeq: Math.max(ackedSeq, remains.lastSeq) + 1 };
  remains?.spool.remove();
  return { spool: openSpool(folder, run_id, maxSpoolBytes), firstSeq: ackedSeq + 1 };
}

/** Asks the control plane how many events it has stored. @returns `null` when it accepts no more events of the run */
async function fetchAckedSeq(
  context: AgentContext,
  run: ActiveRun,
  signal: AbortSignal,
): Promise<number | null> {
  const { settings } = context;
  for (let failures = 1; !signal.aborted; failures += 1) {
    const end = await postEvents(context, run, [], settings.answerMs, signal);
    switch (end.kind) {
      case "answered":
        return end.answer.instruction === "ended" ? null : end.answer.acked_seq;
      case "gone":
      case "refused":
        return null;
      case "unreachable": {
        const delayMs = retryDelayMs(failures, context.random(), settings);
        await pause(Math.max(delayMs, end.retryAfterMs), signal);
      }
    }
  }
  return null;
}
