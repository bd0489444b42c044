import { lstatSync, readdirSync, type Stats } from "node:fs";

import type { AgentContext } from "#agent/context/context.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import {
  appendOutputTime,
  moveOutputTimes,
  type OutputTime,
  readOutputTimes,
  writeOutputTimes,
} from "#agent/workspace/output-times.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { attempt } from "#node/attempt.ts";

/** After a longer pause between two looks, lines printed meanwhile have no time. */
const MAX_PAUSE_MS = 5_000;
/** How many times of a log are kept when there are twice as many. Readers get 1,000 lines at most. */
const KEPT_TIMES = 2_000;

/**
 * Notes when instances print, because apps write to files without times. A log that has grown since the last look gets
 * one record, so the cost does not depend on how much an app prints.
 */
export type OutputTimeNotes = {
  /** Looks once. Lines printed before the first look have no time, unless an earlier agent noted it. */
  look(): Promise<void>;
  /** Looks again and again until the signal is aborted. */
  watch(signal: AbortSignal): Promise<void>;
  /** The log of an instance was copied to `<log>.1`, and is emptied now. */
  emptied(folder: ProjectFolder, name: string): void;
};

/** What the agent knows about a log. `count`: its noted times. `isRunning`: its instance has not ended. */
type Known = {
  readonly inode: number | null;
  readonly end: number;
  readonly count: number;
  readonly isRunning: boolean;
};

type Needed = Pick<AgentContext, "home" | "clock"> & {
  readonly settings: Pick<AgentContext["settings"], "outputTimesMs">;
};

export function createOutputTimeNotes({ home, clock, settings }: Needed): OutputTimeNotes {
  let known: ReadonlyMap<ProjectId, Map<string, Known>> = new Map();
  /** By the monotonic clock; `null` before the first look. */
  let lookedAt: number | null = null;

  /** @param sinceMs how long ago the last look was; `null` at the first */
  function note(folder: ProjectFolder, name: string, sinceMs: number | null): Omit<Known, "isRunning"> {
    const last = known.get(folder.id)?.get(name);
    const before = last ?? recall(folder, name);
    const found = attempt(() => lstatSync(instanceLog(folder, name)), null);
    if (found === null || !found.isFile()) return before;
    const inode = found.ino;
    const isSame = (before.inode ?? inode) === inode && found.size >= before.end;
    if (!isSame) attempt(() => writeOutputTimes(folder, name, []), undefined);
    const { end, count } = isSame ? before : NOTHING;
    if (found.size === end) return { inode, end, count };
    // A log that is new since the last look has nothing from before it.
    const isWatched = isSame && (last !== undefined || count === 0);
    const isSeen = isWatched && sinceMs !== null && sinceMs <= MAX_PAUSE_MS;
    const added = { end: found.size, time: isSeen ? timeOf(found, sinceMs) : null };
    const counted = attempt(() => add(folder, name, added, count), null);
    // If the disk is full, the next record has these bytes too.
    return counted === null ? { inode, end, count } : { inode, end: found.size, count: counted };
  }

  /** The time of the file's last change is exact, but the project's user can set it. */
  function timeOf({ mtimeMs }: Stats, sinceMs: number): number {
    const now = clock.now();
    return Math.trunc(Math.min(now, Math.max(mtimeMs, now - sinceMs)));
  }

  const sinceLastLook = () => (lookedAt === null ? null : clock.monotonic() - lookedAt);

  async function look(): Promise<void> {
    const projects = await listProjects(home);
    const sinceMs = sinceLastLook();
    lookedAt = clock.monotonic();
    known = new Map(
      projects.map(({ id, folder }) => {
        const running = new Set(runningInstances(folder));
        // An ended instance has printed its last lines since the last look.
        const ended = [...(known.get(id) ?? [])].filter(([name, one]) => one.isRunning && !running.has(name));
        const names = [...running, ...ended.map(([name]) => name)];
        const noted = names.map((name) => {
          const isRunning = running.has(name);
          return [name, { ...note(folder, name, sinceMs), isRunning }] as const;
        });
        return [id, new Map(noted)];
      }),
    );
  }

  return {
    look,
    async watch(signal) {
      while (!signal.aborted) {
        await pause(settings.outputTimesMs, signal);
        if (!signal.aborted) await look();
      }
    },
    emptied(folder, name) {
      const logs = known.get(folder.id);
      const last = logs?.get(name);
      if (last !== undefined) note(folder, name, sinceLastLook());
      moveOutputTimes(folder, name);
      if (last !== undefined) logs?.set(name, { ...last, end: 0, count: 0 });
    },
  };
}

const NOTHING: Omit<Known, "isRunning"> = { inode: null, end: 0, count: 0 };

/** What an earlier agent noted. */
function recall(folder: ProjectFolder, name: string): Omit<Known, "isRunning"> {
  const { current } = readOutputTimes(folder, name);
  // A record that a power cut left unfinished must not be continued.
  if (current.length > 0) attempt(() => writeOutputTimes(folder, name, current), undefined);
  return { inode: null, end: current.at(-1)?.end ?? 0, count: current.length };
}

/** @returns how many times the log has now. @throws when the disk is full */
function add(folder: ProjectFolder, name: string, added: OutputTime, count: number): number {
  if (count < 2 * KEPT_TIMES) {
    appendOutputTime(folder, name, added);
    return count + 1;
  }
  const [first, ...kept] = [...readOutputTimes(folder, name).current, added].slice(-KEPT_TIMES);
  const times = first === undefined ? kept : [{ end: first.end, time: null }, ...kept];
  writeOutputTimes(folder, name, times);
  return times.length;
}

/** The names of the instances that have a note, without reading the notes. */
function runningInstances({ instances }: ProjectFolder): readonly string[] {
  const files = attempt(() => readdirSync(instances), []);
  return files.flatMap((file) => (file.endsWith(".json") ? file.slice(0, -".json".length) : []));
}
