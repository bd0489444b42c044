import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { AccountId, ProjectId } from "#contract/ids.ts";
import { runSchedule } from "#worker/schedule/run-schedule.ts";
import { logSweep } from "#worker/schedule/sweep-logs.ts";
import { ids } from "../../../support/worker/account.ts";
import { aroundCalls, failCalls, onCalls } from "../../../support/worker/intercept.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { inDays, runScheduleIn } from "../../../support/worker/schedule.ts";

const bucket: object = Object.getPrototypeOf(env.LOGS);
const keys = async () => (await env.LOGS.list({ prefix: "logs/" })).objects.map(({ key }) => key);

/** One run of the sweep as it would be in a day, with limits. A round begins as soon as the round before has ended. */
async function sweep({ pages, ...limits }: { pages: number; objects: number; questions: number }) {
  const run = [{ ...logSweep(limits), everyMs: 0 }];
  const budget = { statements: 3 * pages, calls: 1_000, timeMs: 60_000 };
  await inDays(1.1, () => runSchedule(env, { now: () => Date.now() }, { run, limits: budget }));
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Whose = { readonly accountId?: AccountId; readonly projectId?: ProjectId };

/** Puts logs without any record into R2, and returns their keys. @param names of each log's objects */
async function putOrphans(
  count: number,
  { accountId = ids.account(), projectId = ids.project() }: Whose = {},
  names: readonly string[] = ["log.ndjson"],
): Promise<string[]> {
  const orphans = Array.from({ length: count }, () => ids.deployment()).flatMap((id) =>
    names.map((name) => `logs/${accountId}/${projectId}/${id}/${name}`),
  );
  await Promise.all(orphans.map((key) => env.LOGS.put(key, "{}\n")));
  return orphans;
}

/** A live deployment whose log is in R2, with its key. */
async function liveProject(): Promise<{ project: TestProject; key: string }> {
  const project = await TestProject.connected();
  await project.deploy();
  const [key = ""] = await vi.waitFor(async () => {
    const own = (await keys()).filter((one) => one.includes(project.id));
    expect(own).toHaveLength(1);
    return own;
  });
  return { project, key };
}

describe("a stored log without a deployment", () => {
  it("is deleted after a day, and other logs are not", async () => {
    const { project, key } = await liveProject();
    await putOrphans(2);
    await putOrphans(2, { projectId: project.id }, ["log.ndjson", "part-000000001", "part-000000400"]);
    await runScheduleIn(0.9);
    expect(await keys()).toHaveLength(9);
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([key]);
    expect((await project.get(`/v1/logs/${key.split("/")[3]}`)).status).toBe(200);
  });

  it("is deleted even if a deletion was interrupted permanently", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project } = await liveProject();
    const down = failCalls(bucket, "delete");
    expect((await project.remove()).status).toBe(204);
    await vi.waitFor(() => expect(down.count()).toBeGreaterThan(0));
    await runInDurableObject(env.PROJECT_LANE.getByName(project.id), async (_lane, { storage }) => {
      await storage.deleteAlarm();
      await storage.deleteAll();
    });
    down.end();
    expect(await keys()).toHaveLength(1);
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([]);
  });

  it("can be a part that a lane wrote before it died, without the complete log being deleted", async () => {
    const { project, key } = await liveProject();
    await env.LOGS.put(key.replace("log.ndjson", "part-000000001"), "{}\n");
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([key]);
    expect((await project.get(`/v1/logs/${key.split("/")[3]}`)).status).toBe(200);
  });

  it("does not include objects that are not logs", async () => {
    const others = ["backup/2026.sql", "logs/readme.txt", "logs/acct_x/proj_y/dpl_z/log.ndjson"];
    for (const key of others) await env.LOGS.put(key, "mine");
    await putOrphans(1);
    await runScheduleIn(400);
    const left = (await env.LOGS.list()).objects.map(({ key }) => key);
    expect(left).toEqual(others.toSorted());
  });
});

describe("many logs", () => {
  it("are deleted in few calls without waking the lanes of deleted projects", async () => {
    const { key } = await liveProject();
    for (let account = 0; account < 3; account += 1) await putOrphans(340);
    const calls = { list: 0, delete: 0, batch: 0, objects: 0 };
    for (const method of ["list", "delete"] as const) onCalls(bucket, method, () => (calls[method] += 1));
    onCalls(Object.getPrototypeOf(env.DB), "batch", () => (calls.batch += 1));
    onCalls(Object.getPrototypeOf(env.PROJECT_LANE), "getByName", () => (calls.objects += 1));
    await runScheduleIn(1.1);
    // Two pages, and one of builds; three accounts, one of them on both pages; one batch deletes expired rows, two seal the audit log, and
    // two are of the event feed, which hears of the seal and in the round of announcements. The other object is the
    // existing project's lane, for the daily repair.
    expect(calls).toEqual({ list: 3, delete: 4, batch: 7, objects: 3 });
    expect(await keys()).toEqual([key]);
  });

  it("are handled in steps, and each run continues where the last one stopped", async () => {
    const { key } = await liveProject();
    for (let account = 0; account < 3; account += 1)
      await putOrphans(4, {}, ["log.ndjson", "part-000000001"]);
    const left: number[] = [];
    for (let run = 0; run < 7; run += 1) {
      await sweep({ pages: 1, objects: 5, questions: 0 });
      left.push((await keys()).length);
    }
    // The last log of a page may be incomplete and waits for the next page: two logs at first, then two at a time.
    expect(left).toEqual([23, 19, 15, 11, 7, 3, 1]);
    expect(await keys()).toEqual([key]);
  });

  it("that need a call to a lane are left for the next run after the limit of calls", async () => {
    const { project, key } = await liveProject();
    await putOrphans(3, { projectId: project.id });
    const left: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await sweep({ pages: 1, objects: 1000, questions: 1 });
      left.push((await keys()).length);
    }
    expect(left).toEqual([3, 2, 1, 1]);
    expect(await keys()).toEqual([key]);
  });
});

describe("after a failure", () => {
  it("the failed run throws, and the next run continues", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await putOrphans(3);
    const down = failCalls(bucket, "delete");
    await expect(runScheduleIn(1.1)).rejects.toThrow("sweep logs");
    expect(await keys()).toHaveLength(3);
    down.end();
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([]);
  });

  it("of one account, the others are still handled", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await putOrphans(2);
    const unlucky = ids.account();
    const stuck = await putOrphans(2, { accountId: unlucky });
    await putOrphans(2);
    const down = failCalls(bucket, "delete", { when: (values) => JSON.stringify(values).includes(unlucky) });
    await expect(runScheduleIn(1.1)).rejects.toThrow("sweep logs");
    expect(await keys()).toEqual(stuck);
    down.end();
    await runScheduleIn(1.1);
    expect(await keys()).toEqual([]);
  });

  it("of one job, the others still run", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await env.DB.prepare(
      "INSERT INTO idempotency_keys (id, account_id, fingerprint, seed, created_at) VALUES ('a', '', '', '', 0)",
    ).run();
    failCalls(bucket, "list");
    await expect(runScheduleIn(1.1)).rejects.toThrow("sweep logs");
    expect((await env.DB.prepare("SELECT id FROM idempotency_keys").all()).results).toEqual([]);
  });

  it("or a crash at any step, later runs complete the work, and no other data is lost", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, key } = await liveProject();
    const part = key.replace("log.ndjson", "part-000000001");
    const statement = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    const steps: [object, string][] = [
      [bucket, "list"],
      [bucket, "delete"],
      [Object.getPrototypeOf(env.DB), "batch"],
      ...["all", "run", "raw"].map((method): [object, string] => [statement, method]),
      [Object.getPrototypeOf(env.PROJECT_LANE), "getByName"],
    ];
    let died = 0;
    for (let step = 1; ; step += 1) {
      await putOrphans(2);
      await putOrphans(2, { projectId: project.id });
      await env.LOGS.put(part, "{}\n");
      const revive = dieAt(step, steps);
      const run = () => sweep({ pages: 2, objects: 3, questions: 9 });
      await run().catch(() => undefined);
      const hasDied = revive();
      for (let again = 0; again < 4; again += 1) await run();
      expect(await keys()).toEqual([key]);
      if (!hasDied) break;
      died = step;
    }
    expect(died).toBeGreaterThan(8);
    expect((await project.get(`/v1/logs/${key.split("/")[3]}`)).status).toBe(200);
  });
});

/**
 * From the given call on, no call of these methods is made, as if the isolate had died. For an odd call number, the
 * call is made and only its answer is lost. @returns a function that ends this and returns whether it happened
 */
function dieAt(step: number, methods: readonly [object, string][]): () => boolean {
  let calls = 0;
  const dead = new Error("the isolate has died");
  const ends = methods.map(([owner, method]) =>
    aroundCalls(owner, method, (call) => {
      calls += 1;
      if (calls < step) return call();
      if (calls > step || step % 2 === 0) throw dead;
      return Promise.resolve(call()).then(() => {
        throw dead;
      });
    }),
  );
  return () => {
    for (const end of ends) end();
    return calls >= step;
  };
}
