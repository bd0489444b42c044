import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createOutputTimeNotes, type OutputTimeNotes } from "#agent/apps/output/note-output-times.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { readOutputTimes } from "#agent/workspace/output-times.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../../../agent/support/harness.ts";

const NAME = "web-1-0";
const START = Date.now() + 3_600_000;
let home: string;
let folder: ProjectFolder;
/** Moved by the tests: in milliseconds since the start. */
let time: number;
let notes: OutputTimeNotes;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-times-"));
  folder = projectFolder(home, ids.project());
  for (const path of [folder.logs, folder.instances]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder.instances, `${NAME}.json`), "{}");
  time = 0;
  notes = startAgent();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const startAgent = () => {
  const clock = { now: () => START + time, monotonic: () => time };
  return createOutputTimeNotes({ home, clock, settings: { outputTimesMs: 1_000 } });
};
const print = (text: string) => appendFileSync(instanceLog(folder, NAME), text);
const look = async (ms = 1_000) => {
  time += ms;
  await notes.look();
};
const current = () => readOutputTimes(folder, NAME).current;

// The clock is an hour ahead of the files' clock, so a line gets the earliest possible time: the time of the look
// before.
describe("the times of an instance's output", () => {
  it("are one record for all that was printed between two looks, and none while nothing is printed", async () => {
    await look();
    print("one\ntwo\n");
    await look();
    await look();
    print("three\n");
    await look();
    expect(current()).toEqual([
      { end: 8, time: START + 1_000 },
      { end: 14, time: START + 3_000 },
    ]);
  });

  it("are unknown for what was printed while nobody looked", async () => {
    print("before the first look\n");
    await look();
    print("in a long pause\n");
    await look(6_000);
    notes = startAgent();
    print("while no agent ran\n");
    await look();
    print("seen\n");
    await look();
    expect(current().map((one) => one.time)).toEqual([null, null, null, START + 8_000]);
  });

  it("include the last lines of an instance that has ended", async () => {
    await look();
    print("bye\n");
    rmSync(join(folder.instances, `${NAME}.json`));
    await look();
    expect(current()).toEqual([{ end: 4, time: START + 1_000 }]);
  });

  it("are limited: the times of the oldest output are dropped", async () => {
    await look();
    for (let at = 0; at < 4_500; at += 1) {
      print("x\n");
      await look();
    }
    expect(current().length).toBeLessThanOrEqual(4_000);
    expect(current()[0]?.time).toBeNull();
    expect(current().at(-1)).toEqual({ end: 9_000, time: START + 4_500_000 });
  });
});
