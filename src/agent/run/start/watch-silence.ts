import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import { INSTANCE_HOST } from "#agent/apps/instance-spec.ts";
import { containerHint } from "#agent/run/start/container-hint.ts";
import { elsewhereText, instanceListeners } from "#agent/run/start/instance-listeners.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import type { Listener } from "#node/tcp-sockets.ts";

/** The first look is after this part of the time. */
const EARLY_PARTS = 3;

/**
 * Logs once of each new instance that it does not listen on its port, before the stage's time is up: an app with a port of
 * its own would wait for all of it. What already listens on another port is said early.
 */
export function watchSilence({ context, folder, log }: Pick<RunScope, "context" | "folder" | "log">) {
  const timers = new Map<string, NodeJS.Timeout>();
  const { silentInstanceMs } = context.settings;
  const earlyMs = silentInstanceMs / EARLY_PARTS;

  /** Early, only an instance that listens elsewhere is reported: others may still be starting. */
  async function report(note: InstanceNote, isEarly: boolean): Promise<void> {
    const { name, port, inside } = note;
    if (inside !== undefined) return await reportContainer(name, inside, isEarly);
    const own = await instanceListeners({ context, folder }, name, () => timers.has(name));
    if (!timers.has(name)) return;
    if (!isEarly || own.length > 0) return log.system("start", silenceText(name, port ?? 0, own));
    const wait = silentInstanceMs - earlyMs;
    timers.set(
      name,
      setTimeout(() => void report(note, false), wait),
    );
  }

  async function reportContainer(name: string, inside: number, isEarly: boolean): Promise<void> {
    const found = await context.supervisor.listenersInside(folder.id, name);
    if (!timers.has(name)) return;
    const listeners = found.ok ? found.value : [];
    const silent = `${name} does not listen on port ${inside} of its container yet.`;
    if (!isEarly || listeners.length > 0)
      return log.system("start", `${silent} ${containerHint(inside, listeners)}`);
    const wait = silentInstanceMs - earlyMs;
    timers.set(
      name,
      setTimeout(() => void reportContainer(name, inside, false), wait),
    );
  }

  return {
    started(note: InstanceNote): void {
      timers.set(
        note.name,
        setTimeout(() => void report(note, true), earlyMs),
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

/** @param listeners what the instance listens on */
export function silenceText(name: string, port: number, listeners: readonly Listener[]): string {
  const silent = `${name} does not listen on ${INSTANCE_HOST}:${port} yet`;
  if (listeners.length === 0)
    return `${silent}: it must use the port in PORT. If it answers no requests, such as a bot, name the process worker`;
  return `${silent}; ${elsewhereText(port, listeners)}`;
}
