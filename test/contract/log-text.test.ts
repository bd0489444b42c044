import { describe, expect, it } from "vitest";

import { oneLine, startOfShown } from "#contract/log-text.ts";
import { lineTime } from "#contract/endpoints/logs/schemas.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const HOUR_MS = 3_600_000;

describe("a message as text", () => {
  it.each([
    ["plain, with a\ttab", "plain, with a\ttab"],
    ["one\r\ntwo", "one\\r\\ntwo"],
    ["\u001b[2J\u001b[1Aup", "\\u001b[2J\\u001b[1Aup"],
    ["\u001b]8;;http://evil.test\u0007link", "\\u001b]8;;http://evil.test\\u0007link"],
    ["\u001b[1;31mred", "\u001b[1;31mred\u001b[0m"],
    ["\u009b2J\u0085\u2028", "\\u009b2J\\u0085\\u2028"],
    ["\u202ereversed\u2066\u200f\u061c", "\\u202ereversed\\u2066\\u200f\\u061c"],
    ["\u001b[8mhidden\u009b8m", "hidden\\u009b8m"],
    ["\u001b[1;8;5;11mfont", "\u001b[1mfont\u001b[0m"],
  ])("%j is one line: %j", (message, text) => {
    expect(oneLine(message)).toBe(text);
  });
});

describe("a line with carriage returns", () => {
  it.each([
    ["\r10 %\r100 %\r\r", "100 %\r\r"],
    ["\r\r", "\r\r"],
    ["plain", "plain"],
  ])("%j is shown as %j", (line, shown) => {
    expect(line.slice(startOfShown(line))).toBe(shown);
  });
});

describe("the time of a line", () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  it.each([at(0), at(-23 * HOUR_MS), at(60_000)])("is kept if it is near the time of arrival: %s", (said) => {
    expect(lineTime(said, NOW)).toBe(said);
  });

  it("is stored in UTC", () => {
    expect(lineTime("2026-11-22T13:59:00+02:00", NOW)).toBe("2026-11-22T11:59:00.000Z");
  });

  it.each([at(-25 * HOUR_MS), at(HOUR_MS), "", "now", "2026-11-22", "2026-13-40T99:00:00Z", `${at(0)}\n`])(
    "is the time of arrival instead of %j",
    (said) => {
      expect(lineTime(said, NOW)).toBe(at(0));
    },
  );
});
