import { stat } from "node:fs/promises";

import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import { INSTANCE_HOST } from "#agent/apps/instance-spec.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { type Listener, tcpListeners } from "#node/tcp-sockets.ts";

/** So many of the newest sockets of its user are examined, and so many addresses named. */
const MAX_EXAMINED = 20;
const MAX_NAMED = 3;

/**
 * Logs once of each new instance that it does not listen on its port, before the stage's time is up: an app with a port of
 * its own would wait for all of it.
 */
export function watchSilence({ context, folder, log }: Pick<RunScope, "context" | "folder" | "log">) {
  const timers = new Map<string, NodeJS.Timeout>();

  async function report({ name, port }: InstanceNote): Promise<void> {
    const own = await listenersOf(name);
    if (timers.has(name)) log.system("start", silenceText(name, port ?? 0, own));
  }

  async function listenersOf(name: string): Promise<readonly Listener[]> {
    // The log belongs to the user who runs the instance.
    const user = await stat(instanceLog(folder, name)).catch(() => null);
    const candidates = tcpListeners().filter(({ uid }) => uid === user?.uid);
    const own: Listener[] = [];
    for (const one of candidates.slice(0, MAX_EXAMINED)) {
      if (!timers.has(name) || own.length === MAX_NAMED) break;
      const holds = await context.supervisor.listensOn(folder.id, name, one.port);
      if (holds.ok && holds.value) own.push(one);
      // An instance opens its sockets at about the same time.
      else if (own.length > 0) break;
    }
    return own;
  }

  return {
    started(note: InstanceNote): void {
      timers.set(
        note.name,
        setTimeout(() => void report(note), context.settings.silentInstanceMs),
      );
    },
    listening(name: string): void {
      clearTimeout(timers.get(name));
      timers.delete(name);
    },
    end(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

const placeOf = ({ address, port }: Listener) => `${address}:${port}`;

/** @param listeners what the instance listens on */
export function silenceText(name: string, port: number, listeners: readonly Listener[]): string {
  const silent = `${name} does not listen on ${INSTANCE_HOST}:${port} yet`;
  if (listeners.length === 0) return silent;
  const samePort = listeners.filter((one) => one.port === port);
  const fix = samePort.length > 0 ? "the address in HOST" : "the port in PORT and the address in HOST";
  const found = samePort.length > 0 ? samePort : listeners;
  const places = found.map(placeOf).join(" and ");
  return `${silent}; it listens on ${places}: use ${fix}, ${INSTANCE_HOST}`;
}
