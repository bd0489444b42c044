import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { attempt } from "#node/attempt.ts";

/**
 * Up to which byte a log had been written at a time, in Unix milliseconds. `null`: the agent did not see when these bytes
 * were written.
 */
export type OutputTime = { readonly end: number; readonly time: number | null };

/** The times of an instance's log, and of the older output in `<log>.1`. The ends rise. */
export type OutputTimes = {
  readonly current: readonly OutputTime[];
  readonly earlier: readonly OutputTime[];
};

// The folder belongs to the agent: the folder of the logs belongs to the project's user.
const fileOf = ({ outputTimes }: ProjectFolder, name: string): string => join(outputTimes, name);

export function readOutputTimes(folder: ProjectFolder, name: string): OutputTimes {
  const file = fileOf(folder, name);
  return { current: read(file), earlier: read(`${file}.1`) };
}

/** @throws when the disk is full */
export function appendOutputTime(folder: ProjectFolder, name: string, time: OutputTime): void {
  const file = fileOf(folder, name);
  attempt(() => mkdirSync(dirname(file), { mode: 0o700 }), undefined);
  appendFileSync(file, lineOf(time), { mode: 0o600 });
}

/** Replaces the times of an instance's log. @throws when the disk is full */
export function writeOutputTimes(folder: ProjectFolder, name: string, times: readonly OutputTime[]): void {
  const file = fileOf(folder, name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.tmp`;
  writeFileSync(draft, times.map(lineOf).join(""), { mode: 0o600 });
  renameSync(draft, file);
}

/** The log has been moved to `<log>.1`. */
export function moveOutputTimes(folder: ProjectFolder, name: string): void {
  const file = fileOf(folder, name);
  attempt(() => rmSync(`${file}.1`, { force: true }), undefined);
  attempt(() => renameSync(file, `${file}.1`), undefined);
}

export function removeOutputTimes(folder: ProjectFolder, name: string): void {
  const file = fileOf(folder, name);
  for (const path of [file, `${file}.1`]) attempt(() => rmSync(path, { force: true }), undefined);
}

function lineOf({ end, time }: OutputTime): string {
  return `${end} ${time ?? "-"}\n`;
}

/** A line that a power cut left unfinished is skipped. */
function read(file: string): OutputTime[] {
  const text = attempt(() => readFileSync(file, "utf8"), "");
  return [...text.matchAll(/^(\d+) (\d+|-)\n/gm)].map(([, end, time]) => ({
    end: Number(end),
    time: time === "-" ? null : Number(time),
  }));
}
