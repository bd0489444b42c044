import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { pause } from "#contract/lib/pause.ts";
import { createEventLog, type NewRunEvent } from "#agent/report/event-log.ts";
import { createLogMemory } from "#agent/report/log-memory.ts";
import { postEvents, type PostEnd } from "#agent/report/post-events.ts";
import type { Spool } from "#agent/report/spool.ts";
import { createStageClock } from "#agent/report/stage-clock.ts";
import type { Instruction, OutputLine } from "#contract/agent-events.ts";
import type { ActiveRun } from "#contract/agent-protocol.ts";
import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";

/**
 * `stored`: all events are stored. `ended`: the control plane ended the run itself and accepts no more of its events.
 */
export type DeliveryEnd = "stored" | "ended";

/** Delivers the events of one run to the control plane: in order, each once, for as long as it takes. */
export type Reporter = {
  /** `urgent` events are sent at once, with all events before them; `patient` ones may wait to be sent together. */
  report(event: NewRunEvent, urgency: "urgent" | "patient"): void;
  line(line: OutputLine): void;
  /** How long each reported stage took until the next one, or until now. */
  stageTimes(): StageTime[];
  /** `null` while there is room for more output; otherwise a promise that resolves when there is room again. */
  room(): Promise<void> | null;
  /** Asks for the activation permit until it is given. @returns false when the run has ended or the signal aborted */
  askPermit(signal: AbortSignal): Promise<boolean>;
  /** Asks again now, if the run waits for its permit. An answer that is on its way may be older than the permit. */
  askAgain(): void;
  /** Resolves when everything reported so far is stored, or will never be. */
  delivered(): Promise<DeliveryEnd>;
  /** Stops sending. Events that the control plane has not stored stay in the spool. */
  close(): void;
};

export type ReporterOptions = {
  readonly context: Pick<
    AgentContext,
    "connection" | "proxy" | "settings" | "clock" | "pace" | "random" | "log"
  >;
  readonly run: ActiveRun;
  /** May contain events of an earlier agent process; they are delivered first. */
  readonly spool: Spool;
  /** The number of the next event. */
  readonly firstSeq: number;
  /** The last event that the control plane is known to have stored. */
  readonly ackedSeq: number;
  readonly onInstruction: (instruction: "stop" | "ended") => void;
};

/** The control plane gives up a run after five minutes without a request. */
const MAX_POLL_MS = 60_000;

export function createReporter(options: ReporterOptions): Reporter {
  const { context, run, spool, onInstruction } = options;
  const { settings, clock } = context;
  const log = createEventLog({
    firstSeq: options.firstSeq,
    ackedSeq: options.ackedSeq,
    maxEventBytes: settings.maxEventBytes,
    spool,
    now: () => clock.monotonic(),
  });
  const memory = createLogMemory(log, context);
  const stages = createStageClock(clock);
  const closing = new AbortController();
  const delivery = Promise.withResolvers<DeliveryEnd>();
  let waitingForPermit: ((isGiven: boolean) => void) | null = null;
  let result: NewRunEvent | null = null;
  let isSending = false;
  let isUrgent = false;
  /** Whether the run should ask for its permit again as soon as the request that is under way has ended. */
  let asksAgain = false;
  let pollMs = settings.permitPollMs;
  let failures = 0;
  /** Until when the control plane wants no request, by the monotonic clock. */
  let limitedUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  let timerDueAt = Infinity;

  function wake(delayMs: number): void {
    const dueAt = clock.monotonic() + delayMs;
    if (closing.signal.aborted || isSending || dueAt >= timerDueAt) return;
    clearTimeout(timer);
    timerDueAt = dueAt;
    timer = setTimeout(() => void send(), delayMs);
  }

  /** Delay until the next request, counted from the end of the last one. */
  function idleMs(): number {
    if (asksAgain) return 0;
    if (log.bytes > 0) return isUrgent || log.bytes >= settings.batchBytes ? 0 : settings.flushMs;
    return waitingForPermit === null ? settings.signOfLifeMs : pollMs;
  }

  async function send(): Promise<void> {
    timerDueAt = Infinity;
    if (isSending || closing.signal.aborted) return;
    isSending = true;
    const waitMs = context.pace.reserve();
    if (waitMs > 0) await pause(waitMs, closing.signal);
    if (closing.signal.aborted) return;
    asksAgain = false;
    const events = log.batch(settings.maxBatchBytes);
    const end = await postEvents(context, run, events, settings.answerMs, closing.signal);
    isSending = false;
    if (closing.signal.aborted) return;
    wake(handleEnd(end, events.length));
  }

  /** @returns milliseconds until the next request */
  function handleEnd(end: PostEnd, sent: number): number {
    switch (end.kind) {
      case "answered": {
        const hasMoved = log.acknowledge(end.answer.acked_seq);
        if (log.bytes === 0) isUrgent = false;
        memory.checkRoom();
        const { instruction, poll_seconds: pollSeconds } = end.answer;
        pollMs =
          pollSeconds === undefined ? settings.permitPollMs : Math.min(pollSeconds * 1000, MAX_POLL_MS);
        if (result === null || log.bytes > 0) follow(instruction);
        // After it stored a result, the control plane answers `ended`.
        else if (instruction === "ended") finish("stored");
        // A late request of an earlier agent process has used the result's number, so the result is sent again.
        else report(result, "urgent");
        failures = sent > 0 && !hasMoved ? failures + 1 : 0;
        return failures > 0 ? retryMs(0) : idleMs();
      }
      case "gone":
        finish("ended");
        return 0;
      case "refused":
        context.log(`run ${run.run_id}: the control plane refused its events: ${end.reason}`);
        finish("ended");
        return 0;
      case "unreachable":
        failures += 1;
        limitedUntil = clock.monotonic() + end.retryAfterMs;
        if (failures === 1)
          context.log(`run ${run.run_id}: its events cannot be delivered: ${end.reason}; trying again`);
        return asksAgain ? end.retryAfterMs : retryMs(end.retryAfterMs);
    }
  }

  function retryMs(atLeastMs: number): number {
    return Math.max(atLeastMs, retryDelayMs(failures, context.random(), settings));
  }

  function follow(instruction: Instruction): void {
    switch (instruction) {
      case "continue":
        return;
      case "activate":
        return waitingForPermit?.(true);
      case "stop":
        return onInstruction("stop");
      case "ended":
        return finish("ended");
    }
  }

  function finish(how: DeliveryEnd): void {
    if (closing.signal.aborted) return;
    shut();
    spool.remove();
    delivery.resolve(how);
    if (how === "ended") onInstruction("ended");
  }

  function shut(): void {
    closing.abort();
    clearTimeout(timer);
    memory.close();
    waitingForPermit?.(false);
  }

  function report(event: NewRunEvent, urgency: "urgent" | "patient"): void {
    if (closing.signal.aborted) return;
    log.append(event);
    if (event.type === "stage") stages.begin(event.stage);
    if (event.type === "result") result = event;
    if (urgency === "urgent") isUrgent = true;
    memory.watchAge();
    wakeUnlessBackingOff();
  }

  /** New events do not shorten a back-off, because a build writes lines all the time. */
  function wakeUnlessBackingOff(): void {
    if (failures === 0) wake(idleMs());
  }

  wake(settings.signOfLifeMs);

  return {
    report,
    line(line) {
      if (closing.signal.aborted) return;
      log.appendLine(line);
      memory.checkSize();
      memory.watchAge();
      wakeUnlessBackingOff();
    },
    stageTimes: () => stages.times(),
    room: () => (closing.signal.aborted ? null : memory.room()),
    askPermit(signal) {
      return new Promise((resolve) => {
        if (closing.signal.aborted || signal.aborted) return resolve(false);
        const settle = (isGiven: boolean): void => {
          waitingForPermit = null;
          signal.removeEventListener("abort", onAbort);
          resolve(isGiven);
        };
        const onAbort = (): void => settle(false);
        signal.addEventListener("abort", onAbort);
        waitingForPermit = settle;
        report({ type: "ready" }, "urgent");
      });
    },
    askAgain() {
      if (waitingForPermit === null) return;
      asksAgain = true;
      // Also during a back-off, because the control plane has just sent a message.
      wake(Math.max(0, limitedUntil - clock.monotonic()));
    },
    delivered: () => delivery.promise,
    close() {
      if (closing.signal.aborted) return;
      log.spill();
      shut();
      spool.close();
    },
  };
}
