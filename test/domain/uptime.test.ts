import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { recordConnection, uptime, uptimeByDay } from "#domain/uptime.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 5, 15, 12);

/** Consecutive connections in the last `days`, oldest first. */
const connections = (days: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: days * DAY_MS }), { minLength: 2, maxLength: 20 })
    .map((ages) => ages.toSorted((a, b) => b - a).map((age) => NOW - age))
    .map((times) => times.slice(0, times.length - (times.length % 2)))
    .map((times) =>
      times.flatMap((from, at) => (at % 2 === 0 ? [[from, times[at + 1] ?? from] as const] : [])),
    );

/** Any arguments of `uptime`, also arguments that no agent causes: the time by day, the two times, and now. */
const anyArguments = [
  fc.dictionary(fc.nat(40_000).map(String), fc.nat(DAY_MS)),
  fc.option(fc.nat(3e12)),
  fc.option(fc.nat(3e12)),
  fc.nat(3e12),
] as const;

const record = (spans: readonly (readonly [number, number])[]) =>
  spans.reduce<Record<string, number>>((byDay, [from, to]) => recordConnection(byDay, from, to), {});

const percent = (text: string) => Number(text.slice(0, -1));

describe("uptime", () => {
  it("is 0.00% for a server that never connected", () => {
    expect(uptime({}, null, null, NOW)).toBe("0.00%");
  });

  it("is 100.00% from the instant of the first connection while the agent is connected", () => {
    expect(uptime({}, NOW, NOW, NOW)).toBe("100.00%");
    expect(uptime({}, NOW, NOW, NOW + HOUR_MS)).toBe("100.00%");
    expect(uptime({}, null, NOW, NOW)).toBe("0.00%");
  });

  it("is the connected share since the first connection, with two decimals", () => {
    const since = NOW - 10 * HOUR_MS;
    expect(uptime(recordConnection({}, since, NOW - HOUR_MS), null, since, NOW)).toBe("90.00%");
    expect(uptime({}, NOW - 5 * HOUR_MS, since, NOW)).toBe("50.00%");
    expect(uptime({}, since + 1_000, since, NOW)).toBe("99.99%");
  });

  it("is rounded down, so that 100.00% means no interruption", () => {
    expect(uptime({}, NOW - 30 * DAY_MS + 1, NOW - 30 * DAY_MS, NOW)).toBe("100.00%");
    expect(uptime({}, NOW - 20 * DAY_MS + 1, NOW - 20 * DAY_MS, NOW)).toBe("99.99%");
  });

  it("ignores everything older than 30 days", () => {
    const since = NOW - 300 * DAY_MS;
    const byDay = recordConnection({}, since, NOW - 31 * DAY_MS);
    expect(uptime(byDay, null, since, NOW)).toBe("0.00%");
    expect(uptime({}, since, since, NOW)).toBe("100.00%");
  });

  it("is a percentage with two decimals for any connections", () => {
    fc.assert(
      fc.property(...anyArguments, (byDay, connectedAt, since, now) => {
        const text = uptime(byDay, connectedAt, since, now);
        expect(text).toMatch(/^\d{1,3}\.\d\d%$/);
        expect(percent(text)).toBeLessThanOrEqual(100);
      }),
    );
  });

  it("is the sum of its connections over the time since the first connection", () => {
    fc.assert(
      fc.property(connections(25), fc.nat(2 * DAY_MS), (spans, earlier) => {
        const since = (spans[0]?.[0] ?? NOW) - earlier - 1;
        const connected = spans.reduce((total, [from, to]) => total + to - from, 0);
        const expected = Math.floor((connected * 10_000) / (NOW - since)) / 100;
        expect(percent(uptime(record(spans), null, since, NOW))).toBeCloseTo(expected, 5);
      }),
    );
  });

  it("does not change when the current connection ends and is recorded", () => {
    fc.assert(
      fc.property(connections(25), (spans) => {
        const [last, since] = [spans.at(-1)?.[0] ?? NOW, (spans[0]?.[0] ?? NOW) - 1];
        const before = record(spans.slice(0, -1));
        const still = uptime(before, last, since, NOW);
        expect(uptime(recordConnection(before, last, NOW), null, since, NOW)).toBe(still);
      }),
    );
  });
});

describe("uptime by day", () => {
  const shares = (days: readonly { readonly uptime: string }[]) => days.map((day) => percent(day.uptime));

  it("is empty for a server that never connected", () => {
    expect(uptimeByDay({}, null, null, NOW)).toEqual([]);
  });

  it("starts at the first connection and ends now", () => {
    const since = NOW - 24 * HOUR_MS;
    const byDay = recordConnection({}, since, since + 6 * HOUR_MS);
    expect(uptimeByDay(byDay, NOW - 3 * HOUR_MS, since, NOW)).toEqual([
      { date: "2026-06-14", uptime: "50.00%" },
      { date: "2026-06-15", uptime: "25.00%" },
    ]);
  });

  it("has only today at the instant of the first connection", () => {
    expect(uptimeByDay({}, NOW, NOW, NOW)).toEqual([{ date: "2026-06-15", uptime: "100.00%" }]);
    expect(uptimeByDay({}, null, NOW, NOW)).toEqual([{ date: "2026-06-15", uptime: "0.00%" }]);
  });

  it("covers at most the last 30 days", () => {
    const days = uptimeByDay({}, NOW - 200 * DAY_MS, NOW - 300 * DAY_MS, NOW);
    expect(days).toHaveLength(30);
    expect(days[0]).toEqual({ date: "2026-05-17", uptime: "100.00%" });
    expect(days.at(-1)).toEqual({ date: "2026-06-15", uptime: "100.00%" });
  });

  it("has every day once, in order, each with a percentage", () => {
    fc.assert(
      fc.property(...anyArguments, (byDay, connectedAt, since, now) => {
        const days = uptimeByDay(byDay, connectedAt, since, now);
        const dates = days.map(({ date }) => date);
        expect(dates).toEqual([...new Set(dates)].toSorted());
        expect(days.length).toBeLessThanOrEqual(30);
        for (const day of days) expect(day.uptime).toMatch(/^(100\.00|\d{1,2}\.\d\d)%$/);
      }),
    );
  });

  it("has the total uptime as its average, weighted by the length of each day", () => {
    fc.assert(
      fc.property(connections(25), fc.boolean(), (spans, isConnected) => {
        const since = (spans[0]?.[0] ?? NOW) - 1;
        const byDay = record(isConnected ? spans.slice(0, -1) : spans);
        const connectedAt = isConnected ? (spans.at(-1)?.[0] ?? NOW) : null;
        const days = uptimeByDay(byDay, connectedAt, since, NOW);
        const weights = days.map(({ date }) => {
          const start = Date.parse(date);
          return Math.min(NOW, start + DAY_MS) - Math.max(since, start);
        });
        const sum = shares(days).reduce((total, share, at) => total + share * (weights[at] ?? 0), 0);
        const whole = percent(uptime(byDay, connectedAt, since, NOW));
        // Each value is rounded down by less than a hundredth.
        expect(Math.abs(sum / (NOW - since) - whole)).toBeLessThan(0.0101);
      }),
    );
  });
});

describe("recording a connection", () => {
  it("splits it at midnight", () => {
    const midnight = Date.UTC(2026, 5, 15);
    const day = midnight / DAY_MS;
    expect(recordConnection({}, midnight - HOUR_MS, midnight + 2 * HOUR_MS)).toEqual({
      [day - 1]: HOUR_MS,
      [day]: 2 * HOUR_MS,
    });
  });

  it("records every millisecond, and at most 24 hours for each day", () => {
    fc.assert(
      fc.property(connections(28), (spans) => {
        const byDay = record(spans);
        const total = spans.reduce((sum, [from, to]) => sum + to - from, 0);
        expect(Object.values(byDay).reduce((sum, ms) => sum + ms, 0)).toBe(total);
        for (const ms of Object.values(byDay)) expect(ms).toBeLessThanOrEqual(DAY_MS);
      }),
    );
  });

  it("keeps at most 30 days, and does not change its argument", () => {
    const given = recordConnection({}, NOW - 40 * DAY_MS, NOW - 20 * DAY_MS);
    const copy = { ...given };
    expect(Object.keys(recordConnection(given, NOW - DAY_MS, NOW)).length).toBeLessThanOrEqual(30);
    expect(Object.keys(recordConnection({}, NOW - 400 * DAY_MS, NOW))).toHaveLength(30);
    expect(given).toEqual(copy);
  });

  it("records nothing if the clock was set back", () => {
    expect(recordConnection({}, NOW, NOW - 1)).toEqual({});
  });
});
