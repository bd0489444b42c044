import { describe, expect, it } from "vitest";

import { uptimeLevel } from "#dashboard/pages/servers/uptime-level.ts";

const longAgo = Date.parse("2026-01-01T00:00:00Z");
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const day = (uptime: string) => ({ date: "2026-11-20", uptime });
const tomorrow = Date.parse("2026-11-21T09:00:00Z");

describe("the uptime level of a day", () => {
  it("follows from the uptime of a whole day", () => {
    const levels = ["100.00%", "99.90%", "99.80%", "95.00%", "94.00%", "0.01%", "0.00%"].map((uptime) =>
      uptimeLevel(day(uptime), longAgo, tomorrow),
    );
    expect(levels).toEqual(["whole", "whole", "most", "most", "some", "some", "none"]);
  });

  it("is whole if a new server's agent took a minute to connect", () => {
    expect(uptimeLevel(day("95.83%"), at("09:00:00"), at("09:24:00"))).toBe("whole");
  });

  it("is whole if only the first seconds of a day are missing", () => {
    expect(uptimeLevel(day("90.00%"), longAgo, at("00:05:00"))).toBe("whole");
  });

  it("is lower if an hour of a few hours is missing", () => {
    expect(uptimeLevel(day("66.66%"), at("09:00:00"), at("12:00:00"))).toBe("most");
    expect(uptimeLevel(day("33.33%"), at("09:00:00"), at("12:00:00"))).toBe("some");
  });
});
