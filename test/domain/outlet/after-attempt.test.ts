import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { afterAttempt, type AttemptEnd, problemOfEnd } from "#domain/outlet/after-attempt.ts";
import { DISABLE_AFTER_MS, healthy, isSlowedDown, shownState } from "#domain/outlet/health.ts";
import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, retryAfterMs } from "#domain/outlet/schedule.ts";

const HOUR = 3_600_000;
const answered = (status: number, retryAfter: string | null = null): AttemptEnd => ({
  kind: "answered",
  status,
  retryAfter,
});

/** Fails deliveries in sequence at the times that the schedule gives. @returns the times of the attempts */
function failAll(end: AttemptEnd, random: number) {
  const times: number[] = [];
  let [now, health] = [0, healthy];
  for (;;) {
    times.push(now);
    const verdict = afterAttempt(end, times.length, health, { now, random });
    health = verdict.health;
    if (verdict.fate.state !== "pending") return { times, verdict };
    now = verdict.fate.dueAt;
  }
}

describe("the retries of a delivery", () => {
  it("follow the schedule of Standard Webhooks: 10 attempts within 75 hours and 35 minutes", () => {
    const { times, verdict } = failAll(answered(500), 0);
    const pauses = times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1000);
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(times.at(-1)).toBe(75 * HOUR + 35 * 60_000 + 5000);
    expect(verdict.fate).toEqual({ state: "failed" });
    expect(verdict.disabled).toBeNull();
  });

  it("follow it too while an event is withheld, which says nothing about the target", () => {
    const { times, verdict } = failAll({ kind: "withheld", problem: "Not yet." }, 0);
    expect(times).toEqual(failAll(answered(500), 0).times);
    expect(verdict).toEqual({
      fate: { state: "failed" },
      health: healthy,
      pausedUntil: null,
      disabled: null,
    });
  });

  it("are at most a tenth later by chance", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
        const exact = failAll(answered(500), 0).times;
        const { times } = failAll(answered(500), random);
        expect(times).toHaveLength(MAX_ATTEMPTS);
        for (const [at, time] of times.entries()) {
          expect(time).toBeGreaterThanOrEqual(exact[at] ?? 0);
          expect(time).toBeLessThanOrEqual((exact[at] ?? 0) * 1.1 + MAX_ATTEMPTS);
        }
      }),
    );
  });

  it("end with the first answer 2xx, and with no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const { fate } = afterAttempt(answered(status), 1, healthy, { now: 0, random: 0 });
        expect(fate.state === "delivered").toBe(status >= 200 && status < 300);
        expect(problemOfEnd(answered(status)) === null).toBe(fate.state === "delivered");
      }),
    );
  });

  it("wait for as long as a busy target asks, and so do all other deliveries to it", () => {
    const verdict = afterAttempt(answered(429, "600"), 1, healthy, { now: 1000, random: 0 });
    expect(verdict.fate).toEqual({ state: "pending", dueAt: 601_000 });
    expect(verdict.pausedUntil).toBe(601_000);
    const shorter = afterAttempt(answered(503, "60"), 2, healthy, { now: 0, random: 0 });
    expect(shorter.fate).toEqual({ state: "pending", dueAt: 300_000 });
    expect(shorter.pausedUntil).toBe(60_000);
    const other = afterAttempt(answered(500, "600"), 1, healthy, { now: 0, random: 0 });
    expect(other.pausedUntil).toBeNull();
  });
});

describe("the header Retry-After", () => {
  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 01 Jan 1970 00:02:00 GMT", 120_000],
    ["Wed, 31 Dec 1969 23:00:00 GMT", 0],
    ["99999999", MAX_RETRY_AFTER_MS],
    ["soon", null],
    ["-5", null],
    ["1e9", null],
    ["", null],
  ])("%j asks for %j ms", (header, wanted) => {
    expect(retryAfterMs(header, 0)).toBe(wanted);
  });
});

describe("a target", () => {
  it("is disabled at once by 410", () => {
    const { disabled, fate } = afterAttempt(answered(410), 1, healthy, { now: 0, random: 0 });
    expect(disabled).toContain("410");
    expect(fate.state).toBe("pending");
  });

  it("is disabled after 5 days of nothing but failures", () => {
    const clock = (now: number) => ({ now, random: 0 });
    const { verdict } = failAll(answered(500), 0);
    const early = afterAttempt(answered(500), 1, verdict.health, clock(DISABLE_AFTER_MS - 1));
    expect(early.disabled).toBeNull();
    const late = afterAttempt(answered(500), 1, verdict.health, clock(DISABLE_AFTER_MS));
    expect(late.disabled).toContain("5 days");
  });

  it("is not disabled by single failures that are days apart", () => {
    let health = healthy;
    for (let day = 0; day < 30; day += 1) {
      const verdict = afterAttempt(answered(500), 1, health, { now: day * 24 * HOUR, random: 0 });
      expect(verdict.disabled).toBeNull();
      health = verdict.health;
    }
  });

  it("is disabled by several failures within a day, after 5 days", () => {
    const times = [0, DISABLE_AFTER_MS, DISABLE_AFTER_MS + HOUR, DISABLE_AFTER_MS + 2 * HOUR];
    let health = healthy;
    const disabled = times.map((now) => {
      const verdict = afterAttempt({ kind: "timed_out" }, 1, health, { now, random: 0 });
      health = verdict.health;
      return verdict.disabled !== null;
    });
    expect(disabled).toEqual([false, false, false, true]);
  });

  it("is healthy again after one success", () => {
    const failed = failAll({ kind: "connection_failed" }, 0).verdict.health;
    expect(shownState(failed)).toBe("failing");
    const { health } = afterAttempt(answered(204), 1, failed, { now: 99 * HOUR, random: 0 });
    expect(health).toEqual(healthy);
    expect(shownState(health)).toBe("active");
  });

  it("that fails again and again gets one request at a time, with pauses of up to 5 minutes", () => {
    let health = healthy;
    const pauses: (number | null)[] = [];
    for (let failure = 0; failure < 14; failure += 1) {
      const verdict = afterAttempt(answered(500), 1, health, { now: 0, random: 0 });
      health = verdict.health;
      pauses.push(verdict.pausedUntil);
      expect(isSlowedDown(health)).toBe(failure >= 4);
    }
    const seconds = pauses.map((pause) => (pause === null ? 0 : pause / 1000));
    expect(seconds).toEqual([0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it("is left alone for 5 seconds only, if all its failures were under way at the same time", () => {
    let health = healthy;
    const pauses: (number | null)[] = [];
    for (let now = 50; now < 60; now += 1) {
      const verdict = afterAttempt({ kind: "connection_failed" }, 1, health, {
        now,
        random: 0,
        startedAt: 10,
      });
      health = verdict.health;
      pauses.push(verdict.pausedUntil === null ? null : verdict.pausedUntil - now);
    }
    expect(pauses).toEqual([null, null, null, null, ...Array.from({ length: 6 }, () => 5_000)]);
  });
});
