import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { instanceLog, limitInstanceLogs } from "#agent/workspace/instance-logs.ts";
import { projectFolder, type ProjectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

const LIMIT = 1_000;
let home: string;
let folder: ProjectFolder;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-logs-"));
  folder = projectFolder(home, ids.project());
  for (const path of [folder.logs, folder.instances]) mkdirSync(path, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const limit = () => limitInstanceLogs(folder, LIMIT);
const linesOf = (path: string) => readFileSync(path, "utf8").trim().split("\n");
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join("");

describe("the logs of instances", () => {
  it("move their newest part to a second file when they are too long, while a process appends to them", async () => {
    const path = instanceLog(folder, "web-1-0");
    const app = openSync(path, "a", 0o600);
    writeSync(app, numbered(0, 500));
    await limit();
    expect(statSync(path).size).toBe(0);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(LIMIT);
    expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
    const kept = linesOf(`${path}.1`);
    expect(kept.at(-1)).toBe("line 499");
    expect(kept).toEqual(linesOf(`${path}.1`).map((_, at) => `line ${500 - kept.length + at}`));
    writeSync(app, "next\n");
    await limit();
    expect(linesOf(path)).toEqual(["next"]);
    expect(linesOf(`${path}.1`)).toEqual(kept);
    writeSync(app, numbered(500, 800));
    await limit();
    expect(linesOf(`${path}.1`).at(-1)).toBe("line 799");
    closeSync(app);
  });

  it("keep the end of a line that is longer than the limit", async () => {
    const path = instanceLog(folder, "web-1-0");
    writeFileSync(path, "x".repeat(3 * LIMIT));
    await limit();
    expect(readFileSync(`${path}.1`, "utf8")).toBe("x".repeat(LIMIT));
  });

  it("are deleted some time after their instance has ended, the oldest first", async () => {
    for (let version = 1; version <= 14; version += 1) {
      const path = instanceLog(folder, `web-${version}-0`);
      appendFileSync(path, "output\n");
      appendFileSync(`${path}.1`, "older\n");
      utimesSync(path, version, version);
    }
    // This one still runs.
    writeFileSync(join(folder.instances, "web-1-0.json"), "{}");
    await limit();
    const kept = [1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].flatMap((version) => [
      `web-${version}-0.log`,
      `web-${version}-0.log.1`,
    ]);
    expect(readdirSync(folder.logs).toSorted()).toEqual(kept.toSorted());
  });

  it("lead the agent to no other file, although the project's user owns their folder", async () => {
    const foreign = join(home, "agent.json");
    writeFileSync(foreign, "x".repeat(3 * LIMIT));
    symlinkSync(foreign, instanceLog(folder, "web-1-0"));
    linkSync(foreign, instanceLog(folder, "web-1-1"));
    mkdirSync(instanceLog(folder, "web-1-2"));
    const other = join(home, "other.json");
    writeFileSync(instanceLog(folder, "web-1-3"), "y".repeat(3 * LIMIT));
    symlinkSync(other, `${instanceLog(folder, "web-1-3")}.1`);
    await limit();
    expect(statSync(foreign).size).toBe(3 * LIMIT);
    expect(existsSync(other)).toBe(false);
    expect(readFileSync(`${instanceLog(folder, "web-1-3")}.1`, "utf8")).toBe("y".repeat(LIMIT));
  });
});
