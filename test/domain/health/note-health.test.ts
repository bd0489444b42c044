import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { InstanceState, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import type { CertificateHealth, JobHealth } from "#contract/reported-health.ts";
import { healthReasons } from "#domain/health/health-reasons.ts";
import { type HealthRecord, NO_HEALTH, noteHealth } from "#domain/health/note-health.ts";

const MINUTE = 60_000;
const projectId = ProjectId.parse(`proj_${"1".repeat(26)}`);

type Parts = Pick<ProjectReport, "processes" | "jobs" | "certificates">;
const reportOf = (parts: Parts): ProjectReport => ({
  ...{ project_id: projectId, release: 1, releases: [1], url: null },
  ...parts,
});

type Change = { readonly stopped?: boolean; readonly wanted?: number };
const processOf = (
  states: readonly InstanceState[],
  { stopped = false, wanted = 1 }: Change = {},
): ProcessReport => ({
  ...{ name: "worker", command: "node worker.js", port: false, wanted, stopped },
  instances: states.map((state, at) => ({
    ...{
      name: `worker-1-${at}`,
      state,
      started_at: null,
      restarts: 0,
      memory_bytes: null,
      cpu_percent: null,
    },
    ...{ last_exit: "ended with exit code 1", last_output: "Error: no queue" },
  })),
});
const looping: Parts = { processes: [processOf(["crash_looping"])] };
const working: Parts = { processes: [processOf(["live"])] };
const restarting: Parts = { processes: [processOf(["restarting"])] };
const stopped: Parts = { processes: [processOf([], { stopped: true, wanted: 0 })] };
const without: Parts = { processes: [] };
const nothingKnown: Parts = {};

const jobOf = (failed: boolean): JobHealth => ({
  name: "backup",
  failed: failed
    ? {
        ...{ number: 3, status: "exited", exit_code: 1, signal: null, message: "ended with exit code 1" },
        ...{ failed_at: "2026-11-20T02:30:00.000Z", last_line: null },
      }
    : null,
});
const certificateOf = (state: CertificateHealth["state"]): CertificateHealth => ({
  ...{ domain: "shop.example.com", state, expires_at: null, problem: null },
});

type Report = readonly [minutes: number, parts: Parts | null];

/** The changes of a project that is reported so at these times; null: it is no longer on the server. */
function changesOf(course: readonly Report[]): string[] {
  let record: HealthRecord = NO_HEALTH;
  return course.flatMap(([minutes, parts]) => {
    const noted = noteHealth(record, parts === null ? null : reportOf(parts), minutes * MINUTE);
    ({ record } = noted);
    return noted.changes.map((one) => {
      const what = one.to === "failing" ? "failing" : one.reason;
      return `${one.sighting.name} ${what} at ${minutes}`;
    });
  });
}

describe("the health of a process", () => {
  it("is an event when it crash-loops, and once it has run for five minutes", () => {
    const course = [
      [0, working],
      [1, looping],
      [2, looping],
      [4, working],
      [8, working],
      [9, working],
      [12, working],
    ] as const;
    expect(changesOf(course)).toEqual(["worker failing at 1", "worker working at 9"]);
  });

  it("counts the five minutes from its last report that it did not run", () => {
    const course = [
      [0, looping],
      [1, working],
      [4, restarting],
      [5, working],
      [9, working],
      [10, working],
    ] as const;
    expect(changesOf(course)).toEqual(["worker failing at 0", "worker working at 10"]);
  });

  it("is no event while nothing is reported, and an older report changes nothing", () => {
    const course = [
      [0, looping],
      [500, nothingKnown],
      [400, without],
      [501, looping],
    ] as const;
    expect(changesOf(course)).toEqual(["worker failing at 0"]);
  });

  it.each([
    ["stopped", stopped],
    ["removed", without],
    ["removed", null],
  ] as const)("ends as %s at once, and as nothing if it did not fail", (reason, parts) => {
    expect(
      changesOf([
        [0, looping],
        [1, parts],
        [2, parts],
      ]),
    ).toEqual(["worker failing at 0", `worker ${reason} at 1`]);
    expect(
      changesOf([
        [0, working],
        [1, parts],
      ]),
    ).toEqual([]);
  });

  it("must be good for an hour if it fails again within an hour", () => {
    const phases = Array.from(
      { length: 48 },
      (_, at) => [at * 10, at % 2 === 0 ? looping : working] as const,
    );
    const course = phases.flatMap(([at, parts]) => [[at, parts] as const, [at + 6, parts] as const]);
    expect(changesOf([...course, [480, working], [529, working], [530, working]])).toEqual([
      ...["worker failing at 0", "worker working at 16"],
      ...["worker failing at 20", "worker working at 530"],
    ]);
  });
});

describe("the health of a job and of a certificate", () => {
  it("is an event at its first failure, and at the next success", () => {
    const course = [false, true, true, false, false].map((failed, at): Report => [
      at,
      { jobs: [jobOf(failed)] },
    ]);
    expect(changesOf([...course, [200, { jobs: [jobOf(true)] }], [201, { jobs: [] }]])).toEqual([
      ...["backup failing at 1", "backup working at 3"],
      ...["backup failing at 200", "backup removed at 201"],
    ]);
  });

  it("is no event while the certificate is not checked, and forgets a removed domain", () => {
    const states = ["unknown", "late", "unknown", "late", "valid", "missing"] as const;
    const course = states.map((state, at): Report => [at, { certificates: [certificateOf(state)] }]);
    expect(changesOf(course)).toEqual(["shop.example.com failing at 1", "shop.example.com working at 4"]);
    expect(
      changesOf([
        [0, { certificates: [certificateOf("late")] }],
        [1, { certificates: [] }],
      ]),
    ).toEqual(["shop.example.com failing at 0"]);
  });
});

describe("in any history of reports", () => {
  const parts = fc.constantFrom<Parts | null>(
    ...[looping, working, restarting, stopped, without, nothingKnown, null],
    ...[true, false].map((failed) => ({ ...working, jobs: [jobOf(failed)] })),
    ...(["late", "valid", "unknown"] as const).map((state) => ({ certificates: [certificateOf(state)] })),
  );
  const history = fc.array(fc.tuple(fc.integer({ min: -3, max: 20 }), parts), { maxLength: 60 });

  it("failing and recovered alternate, and a repeated report is no event", () => {
    fc.assert(
      fc.property(history, (steps) => {
        let record: HealthRecord = NO_HEALTH;
        let at = 100;
        const failing = new Map<string, boolean>();
        for (const [minutes, step] of steps) {
          at += minutes;
          const report = step === null ? null : reportOf(step);
          const noted = noteHealth(record, report, at * MINUTE);
          for (const { to, sighting } of noted.changes) {
            expect(failing.get(`${sighting.kind} ${sighting.name}`) ?? false).toBe(to === "recovered");
            failing.set(`${sighting.kind} ${sighting.name}`, to === "failing");
          }
          // A certificate of a project that left the server ends without an event. An older report changes nothing.
          if (report === null && noted.record.at === at * MINUTE)
            for (const key of failing.keys()) if (key.startsWith("certificate ")) failing.set(key, false);
          expect(noteHealth(noted.record, report, at * MINUTE).changes).toEqual([]);
          ({ record } = noted);
        }
      }),
    );
  });

  it("a process that flaps causes at most three events in an hour", () => {
    const flapping = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom(looping, working)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(flapping, (steps) => {
        let at = 0;
        const course = steps.map(([minutes, step]) => [(at += minutes), step] as const);
        const times = changesOf(course).map((text) => Number(text.split(" at ")[1]));
        for (const time of times)
          expect(times.filter((other) => other >= time && other < time + 60).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});

describe("what does not work", () => {
  it("is a process without enough live instances, and not a deployment whose new instances end", () => {
    const summaries = (parts: Parts) => healthReasons(reportOf(parts)).map(({ summary }) => summary);
    expect(summaries(looping)).toEqual(["worker 0 of 1"]);
    expect(summaries(restarting)).toEqual(["worker 0 of 1"]);
    expect(summaries({ processes: [processOf([])] })).toEqual(["worker 0 of 1"]);
    for (const states of [["live"], ["starting"], ["live", "restarting"]] as const)
      expect(summaries({ processes: [processOf(states)] })).toEqual([]);
    expect(summaries(stopped)).toEqual([]);
  });

  it("is told once of a certificate that expires, also while the ingress reports it", () => {
    const problem = "The certificate of shop.example.com expires soon";
    const certificates = [{ ...certificateOf("late"), problem }];
    const report = { ...reportOf({ certificates }), ingress_problem: problem };
    expect(healthReasons(report).map(({ type }) => type)).toEqual(["certificate"]);
    const other = { ...report, ingress_problem: "Caddy refuses this site" };
    expect(healthReasons(other).map(({ type }) => type)).toEqual(["certificate", "ingress"]);
  });
});
