import { describe, expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { logRows } from "#dashboard/pages/deployment/log-rows.ts";
import { warningRuns } from "#dashboard/pages/deployment/warning-runs.ts";
import { LineTexts } from "#dashboard/text/line-texts.ts";

type Short = readonly [stage: LogLine["stage"], stream: LogLine["stream"], message: string];

/** A log that grows. */
function emptyLog() {
  const lines: LogLine[] = [];
  return {
    lines,
    texts: new LineTexts(lines),
    add(...added: readonly Short[]) {
      for (const [stage, stream, message] of added)
        lines.push({ line: lines.length + 1, time: "2026-11-20T09:14:02.310Z", stage, stream, message });
      return this;
    },
  };
}

const warning: Short = ["install", "stderr", "npm warn deprecated glob@7"];
const other: Short = ["install", "stdout", "added 3 packages"];

/** The rows as text: a line's index, or the count of folded warnings. */
function texts(lines: number, log: ReturnType<typeof emptyLog>, opened: readonly number[] = []) {
  const rows = logRows({ first: 0, count: lines }, warningRuns(log, lines), new Set(opened));
  return Array.from({ length: rows.count }, (_, at) => {
    const row = rows.at(at);
    return row.kind === "line" ? row.index : `${row.run.count} warnings`;
  });
}

describe("the rows of a log", () => {
  it("have one row for warnings in a row, and their lines below it when it is open", () => {
    const log = emptyLog().add(other, warning, warning, warning, other, warning, warning);
    expect(texts(7, log)).toEqual([0, "3 warnings", 4, "2 warnings"]);
    expect(texts(7, log, [1])).toEqual([0, "3 warnings", 1, 2, 3, 4, "2 warnings"]);
    expect(texts(7, log, [1, 5])).toEqual([0, "3 warnings", 1, 2, 3, 4, "2 warnings", 5, 6]);
  });

  it("keep single warnings, lines of Gantry, errors, and warnings of different stages apart", () => {
    const log = emptyLog().add(
      warning,
      ["build", "stderr", "npm warn deprecated glob@7"],
      ["build", "system", "warning: of Gantry"],
      ["build", "stderr", "warning: the build failed"],
    );
    expect(texts(4, log)).toEqual([0, 1, 2, 3]);
  });

  it("grow with the log", () => {
    const log = emptyLog().add(warning);
    expect(texts(1, log)).toEqual([0]);
    log.add(warning);
    // Lines that the page does not know of yet do not count.
    expect(texts(1, log)).toEqual([0]);
    expect(texts(2, log)).toEqual(["2 warnings"]);
    log.add(warning, other);
    expect(texts(4, log)).toEqual(["3 warnings", 3]);
  });

  it("are found by the line that they show", () => {
    const log = emptyLog();
    for (let at = 0; at < 200; at += 1) log.add(at % 7 < 3 || at % 11 === 0 ? warning : other);
    const runs = warningRuns(log, 200);
    const opened = new Set(runs.filter((_, at) => at % 2 === 0).map(({ first }) => first));
    for (const [first, count] of [
      [0, 200],
      [3, 150],
      [100, 100],
    ] as const) {
      const inside = runs.filter((run) => run.first >= first && run.first + run.count <= first + count);
      const rows = logRows({ first, count }, inside, opened);
      const shown = Array.from({ length: rows.count }, (_, at) => rows.at(at));
      for (let index = 0; index < 200; index += 1) {
        const at = shown.findIndex((row) => row.kind === "line" && row.index === index);
        expect(rows.rowOf(index)).toBe(at === -1 ? null : at);
      }
      expect(shown.filter(({ kind }) => kind === "warnings")).toHaveLength(inside.length);
    }
  });
});
