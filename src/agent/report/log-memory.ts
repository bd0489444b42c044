import type { AgentContext } from "#agent/context/context.ts";
import type { EventLog } from "#agent/report/event-log.ts";

/**
 * Limits how much of a run's event log is in memory: moves the events to the spool when they are large or old, and pauses
 * output when the spool does not take them.
 */
export type LogMemory = {
  /** Call it after output was added. Moves the events to the spool if they are large. */
  checkSize(): void;
  /** Call it after any event was added. Moves events to the spool that stay in memory for too long. */
  watchAge(): void;
  /** Call it after events were acknowledged. Ends the wait for room if there is enough. */
  checkRoom(): void;
  /** `null` while there is room for more output; otherwise a promise that resolves when there is room again. */
  room(): Promise<void> | null;
  /** Stops the timer, and ends the wait for room. */
  close(): void;
};

export function createLogMemory(
  log: EventLog,
  { settings, clock }: Pick<AgentContext, "settings" | "clock">,
): LogMemory {
  let waiting: PromiseWithResolvers<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** How many bytes must be in memory before the next spill. After a failed spill it is tried again later. */
  let spillAtBytes = settings.spillBytes;

  function endWait(): void {
    waiting?.resolve();
    waiting = null;
  }

  function checkRoom(): void {
    if (log.memoryBytes <= settings.maxMemoryBytes / 2) endWait();
  }

  function spill(): void {
    const isSpilled = log.spill();
    spillAtBytes = isSpilled ? settings.spillBytes : log.memoryBytes + settings.spillBytes;
    if (isSpilled) checkRoom();
  }

  function watchAge(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (log.memorySince === null) return;
      if (clock.monotonic() - log.memorySince >= settings.spillMs) spill();
      watchAge();
    }, settings.spillMs / 2);
  }

  return {
    checkSize() {
      if (log.memoryBytes >= spillAtBytes) spill();
    },
    watchAge,
    checkRoom,
    room() {
      if (log.memoryBytes < settings.maxMemoryBytes) return null;
      waiting ??= Promise.withResolvers<void>();
      return waiting.promise;
    },
    close() {
      clearTimeout(timer);
      endWait();
    },
  };
}
