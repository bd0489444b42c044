import {
  AFTER_KILL_MS,
  isGroupAlive,
  isSameProcess,
  type ProcessId,
  waitWhile,
} from "#build/process/process-table.ts";
import { launch, type Launched } from "#agent/supervisor/launch.ts";
import { hasOwnNumber, killMembers, membersOf, type Traces } from "#agent/supervisor/members.ts";
import { createOrphanSignals, type OrphanSignals } from "#agent/supervisor/orphan-signals.ts";
import type { InstanceBody, InstanceView } from "#agent/supervisor/protocol.ts";
import type { InstanceRecord } from "#agent/supervisor/state-file.ts";
import { supervisedOf, type SupervisedSettings } from "#contract/endpoints/processes/process-settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { backOffMs } from "#contract/lib/back-off.ts";
import { pause } from "#contract/lib/pause.ts";
import { sendSignal } from "#node/processes.ts";

const RESTART = { firstMs: 200, longestMs: 60_000 };
/** An instance that ran this long counts as working: its next restart has the shortest delay again. */
const STEADY_MS = 60_000;
/** How often to check whether an adopted instance still runs: only its parent is notified of its end. */
const ADOPTED_POLL_MS = 500;
const GROUP_POLL_MS = 100;

export type InstanceOptions = {
  readonly project: ProjectId;
  readonly name: string;
  /** The value of `SUPERVISED_MARKER`, unique on this machine. */
  readonly marker: string;
  readonly logFile: string;
  /** Called when the record has changed. */
  readonly onChange: () => void;
  readonly log: (message: string) => void;
};

/** `adopt`: it was started by an earlier supervisor, and runs. */
export type Beginning =
  | { readonly kind: "start"; readonly body: InstanceBody }
  | { readonly kind: "adopt"; readonly record: InstanceRecord & { readonly leader: ProcessId } };

/** An instance that is kept running until it is stopped. */
export type Instance = {
  readonly project: ProjectId;
  readonly name: string;
  /** Resolves when it was started for the first time. */
  readonly launched: Promise<void>;
  /** Resolves when it is no longer started and none of its processes is left, with false if one could not be ended. */
  readonly finished: Promise<boolean>;
  /** Takes the command of an adopted instance, so that it can be started again. */
  give(body: InstanceBody): void;
  /** @param graceMs a shorter grace period than its own. A repeated call can shorten it. */
  stop(graceMs?: number): Promise<boolean>;
  isStopping(): boolean;
  /** What to start it with; null if that is not known. */
  body(): InstanceBody | null;
  leader(): ProcessId | null;
  /** The pids of its processes. */
  members(): Promise<readonly number[]>;
  view(): Omit<InstanceView, "memory_bytes" | "cpu_ms">;
  record(): InstanceRecord;
};

export function createInstance(options: InstanceOptions, beginning: Beginning): Instance {
  const { project, name, marker, logFile, onChange, log } = options;
  const adopted = beginning.kind === "adopt" ? beginning.record : null;
  let body = beginning.kind === "start" ? beginning.body : null;
  let leader = adopted?.leader ?? null;
  let startedAt = adopted?.started_at ?? null;
  let restarts = adopted?.restarts ?? 0;
  /** Ends in a row, each soon after its start. */
  let failures = adopted?.failures ?? 0;
  let lastExit: InstanceView["last_exit"] = adopted?.last_exit ?? null;
  let orphanSignals: OrphanSignals | null = null;
  const stopping = new AbortController();
  const graceOver = new AbortController();
  const launched = Promise.withResolvers<void>();

  const traces = (): Traces => ({ leader, marker });
  const settings = (): SupervisedSettings =>
    supervisedOf(body ?? (beginning.kind === "start" ? beginning.body : beginning.record));

  function begin(command: InstanceBody["command"]): Launched {
    const running = launch(command, marker, logFile);
    leader = running.leader;
    startedAt = Date.now();
    return running;
  }

  async function keepRunning(): Promise<boolean> {
    // An earlier supervisor may have been killed before it noted the processes that it had started.
    if (beginning.kind === "start") await killMembers(traces());
    let running =
      beginning.kind === "adopt" ? followAdopted(beginning.record.leader) : begin(beginning.body.command);
    onChange();
    launched.resolve();
    for (;;) {
      const startedMs = performance.now();
      lastExit = await running.ended;
      if (stopping.signal.aborted && leader !== null) await stopGroup(leader);
      const isGone = await killMembers(traces());
      if (isGone) leader = null;
      startedAt = null;
      onChange();
      if (stopping.signal.aborted) return isGone;
      // The agent starts the instance again when it misses it.
      if (body === null) {
        log(`${project} ${name} has ended, and its command is not known`);
        return isGone;
      }
      failures = performance.now() - startedMs >= STEADY_MS ? 1 : failures + 1;
      const delayMs = backOffMs(failures, RESTART);
      log(`${project} ${name} has ended (${describeExit(lastExit)}): restarting it in ${delayMs / 1000} s`);
      await pause(delayMs, stopping.signal);
      if (stopping.signal.aborted) return true;
      restarts += 1;
      running = begin(body.command);
      onChange();
    }
  }

  /** Stops the rest of the group of a leader that has ended, such as a shell that was waiting for them. */
  async function stopGroup(ended: ProcessId): Promise<void> {
    const signals = orphanSignals ?? createOrphanSignals(ended, settings().stop_signal);
    for (; !graceOver.signal.aborted && isGroupAlive(ended.pid); await pause(GROUP_POLL_MS)) signals.send();
  }

  function followAdopted(first: ProcessId): Launched {
    const ended = waitWhile(() => isSameProcess(first), Infinity, ADOPTED_POLL_MS).then(() => null);
    return { leader: first, ended };
  }

  const finished = keepRunning();
  // Nobody may wait for it.
  finished.then(() => launched.resolve(), launched.reject);

  async function stop(graceMs = Infinity): Promise<boolean> {
    const isFirst = !stopping.signal.aborted;
    stopping.abort();
    await launched.promise;
    if (isFirst) {
      onChange();
      if (leader !== null && hasOwnNumber(leader)) {
        orphanSignals = createOrphanSignals(leader, settings().stop_signal);
        // The leader alone, because many pass the signal on.
        sendSignal(leader.pid, settings().stop_signal);
      }
    }
    const ended = new AbortController();
    void finished.then(() => ended.abort());
    await pause(Math.min(settings().stop_seconds * 1000, graceMs), ended.signal);
    graceOver.abort();
    if (leader !== null && !ended.signal.aborted) await killMembers(traces());
    // A process that hangs in the kernel may never end.
    return Promise.race([finished, pause(AFTER_KILL_MS, ended.signal).then(() => false)]);
  }

  return {
    project,
    name,
    launched: launched.promise,
    finished,
    give(given) {
      body ??= given;
    },
    stop,
    isStopping: () => stopping.signal.aborted,
    body: () => body,
    leader: () => leader,
    members: () => membersOf(traces()),
    view: () => ({
      project,
      name,
      state: stopping.signal.aborted ? "stopping" : startedAt === null ? "restarting" : "running",
      started_at: startedAt,
      restarts,
      last_exit: lastExit,
      is_adopted: body === null,
    }),
    record: () => ({
      project,
      name,
      leader,
      started_at: startedAt,
      restarts,
      failures,
      last_exit: lastExit,
      ...settings(),
      is_stopping: stopping.signal.aborted,
    }),
  };
}

function describeExit(exit: InstanceView["last_exit"]): string {
  if (exit === null) return "exit code unknown";
  return exit.signal ?? `exit code ${exit.code}`;
}
