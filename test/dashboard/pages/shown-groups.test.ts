import { describe, expect, it } from "vitest";

import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import { createIdGenerator, type ServerId } from "#contract/ids.ts";
import { errorExcerpt, firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LineStyles } from "#dashboard/pages/deployment/line-styles.ts";
import { partOfLog } from "#dashboard/pages/deployment/log-part.ts";
import { indexIn, nextLine, shownGroups } from "#dashboard/pages/deployment/shown-groups.ts";
import { LineTexts } from "#dashboard/text/line-texts.ts";

let time = 1_700_000_000_000;
const ids = createIdGenerator({ now: () => (time += 1), randomBytes: (count) => new Uint8Array(count) });
const [one, two] = [ids.server(), ids.server()];

type Short = readonly [server: ServerId | null, stage: LogStage, message: string];

/** A log that grows. */
function emptyLog() {
  const lines: LogLine[] = [];
  const styles = new LineStyles();
  return {
    lines,
    texts: new LineTexts(lines),
    styles,
    add(...added: readonly Short[]) {
      for (const [server, stage, message] of added) {
        const from = server === null ? {} : { server_id: server };
        const line: LogLine = {
          ...{ line: lines.length + 1, time: "2026-11-20T09:14:02.310Z", stream: "stdout", stage, message },
          ...from,
        };
        styles.add(line);
        lines.push(line);
      }
      return this;
    },
  };
}

const mixed = () =>
  emptyLog().add(
    [null, "queued", "Queued as v2"],
    [one, "fetch", "fetching"],
    [two, "fetch", "fetching"],
    [one, "build", "building"],
    [two, "fetch", "fetched"],
    [two, "build", "Error: no"],
    [one, "build", "built"],
  );

const shown = (log: ReturnType<typeof emptyLog>, server: ServerId | null = null, count = log.lines.length) =>
  shownGroups(log, count, { isOfSeveral: true, server }).map((group) => [
    group.stage,
    group.log.lines.slice(group.first, group.first + group.count).map(({ line }) => line),
  ]);

describe("the log of several servers", () => {
  it("has one group for each stage, however its lines are mixed", () => {
    expect(shown(mixed())).toEqual([
      ["queued", [1]],
      ["fetch", [2, 3, 5]],
      ["build", [4, 6, 7]],
    ]);
  });

  it("has only the lines of a chosen server, and lines of no server", () => {
    expect(shown(mixed(), two)).toEqual([
      ["queued", [1]],
      ["fetch", [3, 5]],
      ["build", [6]],
    ]);
  });

  it("grows in each group", () => {
    const log = mixed();
    expect(shown(log, one, 2)).toEqual([
      ["queued", [1]],
      ["fetch", [2]],
    ]);
    log.add([one, "fetch", "late"]);
    expect(shown(log, one)[1]).toEqual(["fetch", [2, 8]]);
  });

  it("has the text and the style of each line, also if another server's line with a color is before it", () => {
    const log = emptyLog().add(
      [one, "build", "\u001b[31mred"],
      [two, "build", "Plain"],
      [one, "build", "still red"],
    );
    const [group] = shownGroups(log, 3, { isOfSeveral: true, server: two });
    expect(group?.log.texts.at(0).search).toBe("plain");
    expect(log.styles.at(1)).toEqual(log.styles.at(0));
    expect(log.styles.at(2)).not.toEqual(log.styles.at(0));
  });

  it("leads from line to line in the order in which they are shown", () => {
    const log = mixed();
    const groups = shownGroups(log, log.lines.length, { isOfSeveral: true, server: null });
    const order = [1];
    for (;;) {
      const last = order.at(-1) ?? 0;
      const next = nextLine(groups, last, 1);
      if (next === last) break;
      order.push(next);
    }
    expect(order).toEqual([1, 2, 3, 5, 4, 6, 7]);
    expect(nextLine(groups, 4, -1)).toBe(5);
    expect(nextLine(groups, 1, -1)).toBe(1);
    expect(groups.map((group) => indexIn(group, 5))).toEqual([null, 2, null]);
  });

  it("names the first error of the server that failed, with the lines of this server around it", () => {
    const log = mixed().add([two, "build", "    at build.ts:3"], [one, "build", "Error: later"]);
    const part = partOfLog(log, log.lines.length, { server: two, stage: null });
    const error = firstError(part, "build");
    expect(error).toBe(6);
    const { first, end } = errorExcerpt(part, 6);
    expect(part.lines.slice(first, end).map(({ message }) => message)).toEqual([
      "Error: no",
      "    at build.ts:3",
    ]);
  });
});
