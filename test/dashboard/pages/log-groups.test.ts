import { expect, it } from "vitest";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { logGroups } from "#dashboard/pages/deployment/log-groups.ts";

const START = Date.parse("2026-11-20T09:14:00.000Z");

/** A log of lines with these stages, one a second. */
function logOf(...stages: readonly LogLine["stage"][]) {
  const lines = stages.map((stage, at): LogLine => {
    const time = new Date(START + 1_000 * at).toISOString();
    return { line: at + 1, time, stage, stream: "stdout", message: "" };
  });
  return { lines };
}

it("the groups of a log are its stages in a row", () => {
  expect(logGroups(logOf("queued", "fetch", "build", "build", "build"), 5)).toEqual([
    { first: 0, count: 1, stage: "queued", instruction: null },
    { first: 1, count: 1, stage: "fetch", instruction: null },
    { first: 2, count: 3, stage: "build", instruction: null },
  ]);
});

it("the groups of a log grow with it", () => {
  const log = logOf("fetch");
  expect(logGroups(log, 1)).toEqual([{ first: 0, count: 1, stage: "fetch", instruction: null }]);
  log.lines.push(...logOf("fetch", "build", "fetch").lines);
  // Lines that the page does not know of yet do not count.
  expect(logGroups(log, 1)).toHaveLength(1);
  expect(logGroups(log, 4).map(({ stage, count }) => [stage, count])).toEqual([
    ["fetch", 2],
    ["build", 1],
    ["fetch", 1],
  ]);
  expect(logGroups(logOf(), 0)).toEqual([]);
});

it("each instruction of a Dockerfile has a group of its own", () => {
  const { lines } = logOf("build", "build", "build", "build", "build", "build");
  const messages = [
    "building",
    "STEP 1/2: FROM node",
    "[2/2] STEP 2/2: RUN npm ci",
    "added 3",
    "done",
    "STEP 3: no",
  ];
  const log = {
    lines: lines.map((line, at): LogLine => ({
      ...line,
      message: messages[at] ?? "",
      stream: at === 0 || at === 4 ? "system" : "stdout",
    })),
  };
  expect(logGroups(log, 6).map(({ first, instruction }) => [first, instruction])).toEqual([
    [0, null],
    [1, "FROM node"],
    [2, "RUN npm ci"],
    [4, null],
  ]);
});
