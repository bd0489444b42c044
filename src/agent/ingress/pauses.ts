import type { AgentContext } from "#agent/context/context.ts";
import { endPause, pauseEnd, writePause } from "#agent/ingress/pause-files.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** Holds the requests to projects for a short time, by files that the ingress reads. */
export type Pauses = {
  /**
   * Holds a project's requests for this long from now on; 0 ends its pause. Safe to repeat.
   * @throws the file system's error; the requests are not held then
   */
  hold(projectId: ProjectId, seconds: number): Promise<void>;
  /** Ends the pause that an earlier agent began, once its time is over. Never throws. */
  resume(projectId: ProjectId): Promise<void>;
};

/** @param signal stops the timers. The pauses stay, and end by themselves or by the next agent */
export function createPauses(
  { slots, clock, log }: Pick<AgentContext, "slots" | "clock" | "log">,
  signal: AbortSignal,
): Pauses {
  const timers = new Map<ProjectId, NodeJS.Timeout>();
  signal.addEventListener("abort", () => timers.forEach((timer) => clearTimeout(timer)));
  /** Changes are made in sequence, so that the end of a pause does not end a longer pause that has just begun. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const turn = last.then(change);
    last = turn.catch(() => undefined);
    return turn;
  };

  const failed = (projectId: ProjectId) => (error: unknown) =>
    log(`${projectId}: its pause could not be ended, and ends by itself: ${messageOf(error)}`);

  function end(projectId: ProjectId): Promise<void> {
    clearTimeout(timers.get(projectId));
    timers.delete(projectId);
    return endPause(slotFiles(slots, projectId));
  }

  function endAt(projectId: ProjectId, endsAt: number): void {
    clearTimeout(timers.get(projectId));
    const endInTurn = () =>
      inTurn(async () => (timers.get(projectId) === timer ? end(projectId) : undefined));
    const timer = setTimeout(
      () => void endInTurn().catch(failed(projectId)),
      Math.max(0, endsAt - clock.now()),
    );
    // An agent that ends does not wait for it.
    timer.unref();
    timers.set(projectId, timer);
  }

  return {
    hold: (projectId, seconds) =>
      inTurn(async () => {
        if (seconds === 0) return end(projectId);
        const now = clock.now();
        const endsAt = now + seconds * 1000;
        try {
          await writePause(slotFiles(slots, projectId), now, endsAt);
        } catch (error) {
          await end(projectId).catch(failed(projectId));
          throw error;
        }
        endAt(projectId, endsAt);
      }),
    resume: (projectId) =>
      inTurn(async () => {
        const endsAt = await pauseEnd(slotFiles(slots, projectId));
        if (endsAt === null || endsAt <= clock.now()) await end(projectId);
        else endAt(projectId, endsAt);
      }).catch(failed(projectId)),
  };
}
