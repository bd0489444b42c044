import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { AgentSettings } from "#agent/context/settings.ts";
import { lockHome } from "#agent/lib/home-lock.ts";
import { controlInstances } from "#agent/supervisor/control.ts";
import { createInstances } from "#agent/supervisor/instances.ts";
import { prepareSocketFolder, supervisorSocket } from "#agent/supervisor/socket-path.ts";
import { SUPERVISOR_LOG } from "#agent/supervisor/state-file.ts";
import { watchHome } from "#agent/supervisor/watch-home.ts";
import { limitLogFile } from "#agent/workspace/limit-log-file.ts";
import { pause } from "#contract/lib/pause.ts";

/**
 * How long a supervisor of `npm start` waits for an earlier supervisor that is ending. Others do not wait, because
 * several may be started at the same time, and a supervisor that is not needed must not take over later.
 */
const PATIENCE_MS = 2_000;
/** A line for each end of an instance, so one a minute for an app that cannot start. */
const MAX_LOG_BYTES = 1024 * 1024;
const LOG_CHECK_MS = 3_600_000;
/** How long the last answers may take. */
const LAST_ANSWERS_MS = 1_000;
/** The longest grace period when the process that started the supervisor ends: its user waits for it. */
const END_GRACE_MS = 5_000;

/**
 * Runs the supervisor of a home. A supervisor that the agent has started ends by a request, without instances, or by a
 * signal, which leaves the instances running: the next supervisor takes them over. A supervisor that was started with
 * an IPC channel, as by `npm start`, ends together with the process that started it, and with all instances. So does a
 * supervisor whose home was deleted.
 * @returns why it ended, as a sentence; null if it was asked to
 */
export async function runSupervisor(
  home: string,
  settings: AgentSettings,
  log: (message: string) => void,
): Promise<string | null> {
  const socketPath = supervisorSocket(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await prepareSocketFolder(home, socketPath);
  // Before everything else, because two supervisors would start everything twice.
  const isChild = process.send !== undefined;
  const lock = await lockHome(home, isChild ? PATIENCE_MS : 0, log, "supervisor");
  if (lock.kind === "held") return `Another supervisor (process ${lock.pid}) uses ${home}.`;
  const instances = createInstances(home, log);
  await instances.adopt();

  const ended = Promise.withResolvers<void>();
  const endAll = (graceMs: number): void => void instances.end(graceMs).then(ended.resolve);
  const server = await controlInstances(socketPath, instances, ended.resolve);
  log(`listening on ${socketPath}`);

  // The agent has opened it as this process's output.
  const limitLog = () => void limitLogFile(join(home, SUPERVISOR_LOG), MAX_LOG_BYTES);
  limitLog();
  setInterval(limitLog, LOG_CHECK_MS).unref();

  let isHomeGone = false;
  await watchHome(home, settings.homeCheckMs, () => {
    isHomeGone = true;
    endAll(END_GRACE_MS);
  });

  let wasEmpty = false;
  setInterval(() => {
    // A server without apps needs no supervisor.
    if (wasEmpty && instances.isEmpty() && !isChild) ended.resolve();
    wasEmpty = instances.isEmpty();
  }, settings.supervisorIdleMs).unref();

  let signals = 0;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      signals += 1;
      log(`received ${signal}: ${isChild ? "ending the instances" : "the instances run on"}`);
      if (isChild) endAll(END_GRACE_MS);
      else ended.resolve();
    });
  // After a signal, the parent's end means that its user does not want to wait.
  process.on("disconnect", () => endAll(signals === 0 ? END_GRACE_MS : 0));
  // The parent may have ended before the listener was added.
  if (isChild && !process.connected) endAll(END_GRACE_MS);
  process.send?.({ type: "ready" });

  await ended.promise;
  // The lock and the socket at these paths may belong to another supervisor now.
  if (isHomeGone) return `The home folder ${home} was deleted or moved.`;
  // This removes the socket, so the next supervisor must not have its own yet.
  await Promise.race([new Promise((resolve) => server.close(resolve)), pause(LAST_ANSWERS_MS)]);
  await lock.release();
  return null;
}
