import { lstatSync } from "node:fs";

import { readNotes } from "#agent/apps/instance-notes.ts";
import type { FollowedLog } from "#agent/apps/output/followed-log.ts";
import { lastLines, type OutputFilter } from "#agent/apps/output/last-lines.ts";
import { maskForOutput } from "#agent/apps/output/mask-output.ts";
import { notShown, openInstanceLog, outputLine } from "#agent/apps/output/read-output.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import {
  type AppOutputLine,
  type FollowedLine,
  isWanted,
  MAX_LAST_LINES,
} from "#contract/endpoints/output/schemas.ts";
import { attempt } from "#node/attempt.ts";

/** The most bytes of lines in one batch. An app that prints faster loses lines. */
const BATCH_BYTES = 64 * 1024;
/** About the size of a line without its text. */
const LINE_BYTES = 80;
/** How much of a log is read for one batch. */
const READ_BYTES = 1024 * 1024;
/** How many of the newest lines are kept, for readers that connect later or reconnect. */
const KEPT_LINES = 2 * MAX_LAST_LINES;
const KEPT_BYTES = 512 * 1024;

/** Lines for readers. `leftOut`: how many lines are missing before these; null: unknown. */
export type Batch = { readonly lines: readonly FollowedLine[]; readonly leftOut: number | null };

/** The output of all instances of a project, while somebody follows it. */
export class ProjectOutput {
  readonly #context: AgentContext;
  readonly #folder: ProjectFolder;
  readonly #logs = new Map<string, FollowedLog>();
  readonly #refused = new Set<string>();
  #kept: FollowedLine[] = [];
  #keptBytes = 0;
  /** The number of the next line. */
  #next: number;
  #isOpened = false;
  /** The last lines of logs that were closed, for the next batch. */
  #rest: AppOutputLine[] = [];

  /** @param first the number of the first line */
  constructor(context: AgentContext, folder: ProjectFolder, first: number) {
    this.#context = context;
    this.#folder = folder;
    this.#next = first;
  }

  get next(): number {
    return this.#next;
  }

  /** Opens the logs of new instances, and closes the logs of ended instances. */
  async look(): Promise<void> {
    const notes = readNotes(this.#folder).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const names = new Set<string>(notes.map(({ name }) => name));
    for (const [name, log] of this.#logs) {
      const found = attempt(() => lstatSync(this.#path(name)).ino, null);
      if (names.has(name) && (found === null || found === log.inode)) continue;
      this.#logs.delete(name);
      this.#rest.push(...attempt(() => log.end(), []).map((line) => outputLine(name, line)));
    }
    for (const { name, release } of notes) {
      if (this.#logs.has(name) || this.#refused.has(name)) continue;
      const mask = await maskForOutput(this.#context, this.#folder, release);
      const log = mask.ok
        ? attempt(() => openInstanceLog(this.#context, this.#folder, name, mask.value), null)
        : null;
      if (log !== null) this.#logs.set(name, log);
      if (mask.ok) continue;
      this.#refused.add(name);
      const time = this.#context.clock.now();
      this.#rest.push(outputLine(name, { message: notShown(mask.message), time }));
    }
    if (!this.#isOpened) this.#readEarlier();
    this.#isOpened = true;
  }

  /** Keeps the last lines that were printed before the first reader. */
  #readEarlier(): void {
    const share = Math.floor(MAX_LAST_LINES / Math.max(1, this.#logs.size));
    for (const lines of this.#readLogs()) for (const line of lines.slice(-share)) this.#keep(line);
  }

  /** The next lines, for all readers. */
  read(): Batch {
    const read = [...this.#rest.map((line) => [line]), ...this.#readLogs()];
    this.#rest = [];
    const printed = read.filter((of) => of.length > 0);
    const lines: FollowedLine[] = [];
    let leftOut = 0;
    let room = BATCH_BYTES;
    for (const [at, ofInstance] of printed.entries()) {
      // Each instance gets its share, so that an instance that prints a lot does not crowd out the others.
      let share = room / (printed.length - at);
      for (const line of ofInstance) {
        const bytes = Buffer.byteLength(line.message) + LINE_BYTES;
        if (bytes > share) {
          leftOut += 1;
          continue;
        }
        share -= bytes;
        room -= bytes;
        lines.push(this.#keep(line));
      }
    }
    return { lines, leftOut };
  }

  /** The first batch of a reader: the lines after the number `after`, or the last lines if it is null. */
  first(filter: OutputFilter, after: number | null): Batch {
    if (after === null) return { lines: lastLines(this.#kept, filter), leftOut: 0 };
    const oldest = this.#kept[0]?.line ?? this.#next;
    const isKnown = after + 1 >= oldest && after < this.#next;
    if (!isKnown) return { lines: [], leftOut: null };
    const lines = this.#kept.filter((line) => line.line > after && isWanted(filter, line));
    return { lines, leftOut: 0 };
  }

  /** Reads the rest of the log at this path, which is about to be emptied. */
  catchUp(path: string): void {
    for (const [name, log] of this.#logs)
      if (this.#path(name) === path) attempt(() => log.catchUp(), undefined);
  }

  close(): void {
    for (const log of this.#logs.values()) attempt(() => log.end(), []);
    this.#logs.clear();
  }

  #path(name: string): string {
    return instanceLog(this.#folder, name);
  }

  /** The new lines of each instance. */
  #readLogs(): (readonly AppOutputLine[])[] {
    return [...this.#logs].map(([name, log]) =>
      attempt(() => log.read(READ_BYTES), []).map((line) => outputLine(name, line)),
    );
  }

  #keep(line: AppOutputLine): FollowedLine {
    const kept = { ...line, line: this.#next };
    this.#next += 1;
    this.#kept.push(kept);
    this.#keptBytes += line.message.length + LINE_BYTES;
    while (this.#kept.length > KEPT_LINES || this.#keptBytes > KEPT_BYTES)
      this.#keptBytes -= (this.#kept.shift()?.message.length ?? 0) + LINE_BYTES;
    return kept;
  }
}
