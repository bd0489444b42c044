import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import worker from "#worker/main.ts";
import { repairLanes } from "#worker/schedule/repair-lanes.ts";
import { runSchedule as runParts } from "#worker/schedule/run-schedule.ts";
import { Faults, kill, setUpForFaults } from "../../support/worker/faults.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";

const HOUR_MS = 60 * 60 * 1000;

setUpForFaults();

type Row = Record<string, unknown>;

const run = async (query: string, ...values: unknown[]) =>
  await env.DB.prepare(query)
    .bind(...values)
    .run<Row>();

/** The project's rows in D1 without the revisions, which only count the writes. */
async function recordsOf({ id }: TestProject) {
  const rows = await run("SELECT * FROM deployments WHERE project_id = ? ORDER BY version", id);
  const project = await run("SELECT last_deploy_at FROM projects WHERE id = ?", id);
  return {
    deployments: rows.results.map((row): Row => ({ ...row, revision: null })),
    project: project.results,
  };
}

async function statusesOf(project: TestProject): Promise<unknown[]> {
  return (await recordsOf(project)).deployments.map(({ status }) => status);
}

async function revisionsOf({ id }: TestProject): Promise<unknown[]> {
  const rows = await run("SELECT revision FROM deployments WHERE project_id = ? ORDER BY version", id);
  return rows.results.map(({ revision }) => revision);
}

async function putBack(table: "deployments" | "projects", row: Row): Promise<void> {
  const marks = Object.keys(row).map(() => "?");
  await run(
    `INSERT OR REPLACE INTO ${table} (${Object.keys(row).join()}) VALUES (${marks.join()})`,
    ...Object.values(row),
  );
}

async function rowOf(id: string): Promise<Row> {
  const { results } = await run("SELECT * FROM deployments WHERE id = ?", id);
  const [row] = results;
  if (row === undefined) throw new Error(`no row of ${id}`);
  return row;
}

async function settled(project: TestProject): Promise<void> {
  await vi.waitFor(async () => {
    const unwritten = await runInDurableObject(laneOf(project), (_lane, { storage }) =>
      storage.sql.exec("SELECT id FROM deployments WHERE revision > written_revision").toArray(),
    );
    expect(unwritten).toEqual([]);
  });
}

/** A superseded, a canceled, a live and a running deployment. */
async function fourDeployments() {
  const project = await TestProject.connected();
  const { id: superseded } = await project.deploy();
  const { id: canceled } = await project.start();
  await project.post(`/v1/deployments/${canceled}/cancel`, {});
  await project.reaches(canceled, "canceled");
  vi.setSystemTime(Date.now() + 1000);
  const { id: live } = await project.deploy();
  const { id: running } = await project.start();
  const order = await project.agent.orderOf(running);
  await project.agent.reports(order, { type: "stage", stage: "fetch" });
  await vi.waitFor(async () => expect((await project.deployment(running)).stage).toBe("fetch"));
  await settled(project);
  return { project, order, superseded, canceled, live, running };
}
type Four = Awaited<ReturnType<typeof fourDeployments>>;

const damages: Record<string, (four: Four) => Promise<unknown>> = {
  "the live row is missing": ({ live }) => run("DELETE FROM deployments WHERE id = ?", live),
  "all rows of the lane's deployments are missing": ({ live, superseded, running }) =>
    run("DELETE FROM deployments WHERE id IN (?, ?, ?)", live, superseded, running),
  "the live row has the status failed": ({ live }) =>
    run("UPDATE deployments SET status = 'failed' WHERE id = ?", live),
  "the running row has the status canceled and a later revision": ({ running }) =>
    run("UPDATE deployments SET status = 'canceled', stage = NULL, revision = 900 WHERE id = ?", running),
  "a row has an older state": ({ live }) =>
    run(
      "UPDATE deployments SET status = 'building', stage = 'fetch', evidence = NULL, release = NULL, revision = 1 WHERE id = ?",
      live,
    ),
  "the live row and the row before it are swapped": async ({ live, superseded }) => {
    await run("UPDATE deployments SET status = 'superseded' WHERE id = ?", live);
    await run("UPDATE deployments SET status = 'live' WHERE id = ?", superseded);
  },
  "a row has another commit and other evidence": ({ superseded }) =>
    run("UPDATE deployments SET commit_sha = 'abc', evidence = '{}' WHERE id = ?", superseded),
  "the project's row has no last deployment": ({ project }) =>
    run("UPDATE projects SET last_deploy_at = NULL WHERE id = ?", project.id),
};

describe("a repair", () => {
  it("writes nothing if D1 is correct, and does not change rows that only D1 has", async () => {
    const { project, canceled } = await fourDeployments();
    await run("UPDATE deployments SET branch = 'other' WHERE id = ?", canceled);
    const before = { ...(await recordsOf(project)), revisions: await revisionsOf(project) };
    expect(await laneOf(project).repair()).toBe(true);
    expect({ ...(await recordsOf(project)), revisions: await revisionsOf(project) }).toEqual(before);
  });

  it.each(Object.entries(damages))("corrects D1 when %s", async (_name, breakIt) => {
    const four = await fourDeployments();
    const right = await recordsOf(four.project);
    await breakIt(four);
    expect(await recordsOf(four.project)).not.toEqual(right);
    expect(await laneOf(four.project).repair()).toBe(true);
    expect(await recordsOf(four.project)).toEqual(right);
    await four.project.agent.completes(four.order);
    await four.project.reaches(four.running, "live");
    expect((await four.project.deployment(four.live)).status).toBe("superseded");
  });

  it("deletes the row of a deleted deployment that came back", async () => {
    const { project, superseded, canceled } = await fourDeployments();
    const rows = [await rowOf(superseded), await rowOf(canceled)];
    for (const id of [superseded, canceled]) expect((await project.delete(id)).status).toBe(204);
    const right = await recordsOf(project);
    for (const row of rows) await putBack("deployments", row);
    await laneOf(project).repair();
    expect(await recordsOf(project)).toEqual(right);
    vi.setSystemTime(Date.now() + 31 * 24 * HOUR_MS);
    await laneOf(project).repair();
    expect(await recordsOf(project)).toEqual(right);
  });

  it("deletes the row of a deployment that is deleted while it runs", async () => {
    const { project, running } = await fourDeployments();
    const row = await rowOf(running);
    expect((await project.delete(running)).status).toBe(204);
    await putBack("deployments", row);
    await laneOf(project).repair();
    expect((await project.get(`/v1/deployments/${running}`)).status).toBe(404);
  });

  it("ends rows that are building or live although the lane dropped their deployments", async () => {
    const { project, canceled, live } = await fourDeployments();
    await run("UPDATE deployments SET status = 'building', stage = 'build' WHERE id = ?", canceled);
    await laneOf(project).repair();
    expect(await project.deployment(canceled)).toMatchObject({
      status: "failed",
      stage: null,
      failure: { code: "internal", stage: "build" },
    });
    await run("UPDATE deployments SET status = 'superseded' WHERE id = ?", live);
    await run("UPDATE deployments SET status = 'live', release = 2 WHERE id = ?", canceled);
    await laneOf(project).repair();
    expect((await project.deployment(canceled)).status).toBe("superseded");
    expect((await project.deployment(live)).status).toBe("live");
  });

  it("takes over a deleted project after D1 was restored", async () => {
    const { project, order } = await fourDeployments();
    await project.agent.completes(order);
    await project.reaches(order.deployment_id, "live");
    await settled(project);
    const right = await recordsOf(project);
    const [row] = (await run("SELECT * FROM projects WHERE id = ?", project.id)).results;
    const rows = (await run("SELECT * FROM deployments WHERE project_id = ?", project.id)).results;
    expect((await project.remove()).status).toBe(204);
    await putBack("projects", row ?? {});
    for (const deployment of rows) await putBack("deployments", deployment);
    expect(await laneOf(project).repair()).toBe(true);
    expect(await recordsOf(project)).toEqual(right);
    const { version } = await project.start();
    expect(version).toBe(5);
  });

  it("writes no deployments for a project that D1 does not have", async () => {
    const { project } = await fourDeployments();
    await run("DELETE FROM deployments WHERE project_id = ?", project.id);
    await run("DELETE FROM projects WHERE id = ?", project.id);
    expect(await laneOf(project).repair()).toBe(true);
    expect(await recordsOf(project)).toEqual({ deployments: [], project: [] });
  });
});

describe("a repair during other changes", () => {
  const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));

  it.each([0, 1, 2, 3])("does not undo changes that happen after its read %i", async (at) => {
    const { project, order, running, live, superseded } = await fourDeployments();
    await run("DELETE FROM deployments WHERE id = ?", live);
    let reads = 0;
    aroundCalls(statement, "raw", async (call) => {
      const isMeant = reads === at;
      reads += 1;
      const rows = await call();
      if (!isMeant) return rows;
      await project.agent.completes(order);
      await project.delete(superseded);
      await project.deploy();
      const { id } = await project.start();
      await project.post(`/v1/deployments/${id}/cancel`, {});
      return rows;
    });
    expect(await laneOf(project).repair()).toBe(true);
    await settled(project);
    const rows = (await recordsOf(project)).deployments.map(({ version, status }) =>
      [version, status].join(" "),
    );
    expect(rows).toEqual(["2 canceled", "3 superseded", "4 superseded", "5 live", "6 canceled"]);
    expect((await project.deployment(running)).status).toBe("superseded");
  });

  it.each(["refused", "answer lost", "killed"] as const)(
    "is completed by itself or by the next repair if one of its calls is %s",
    async (kind) => {
      const faults = new Faults();
      for (let at = 0; ; at += 1) {
        const { project, live, superseded, canceled } = await fourDeployments();
        const deleted = await rowOf(superseded);
        await project.delete(superseded);
        await settled(project);
        const right = await recordsOf(project);
        await run("DELETE FROM deployments WHERE id = ?", live);
        await putBack("deployments", { ...deleted, status: "live" });
        await run("UPDATE deployments SET status = 'building' WHERE id = ?", canceled);
        faults.count(at, kind, [() => laneOf(project)]);
        const answer = await laneOf(project)
          .repair()
          .catch(() => false);
        const calls = faults.stop();
        if (calls.length <= at) break;
        // If the call did not arrive, or the object died during it, the next repair completes it.
        if (!answer) await laneOf(project).repair();
        vi.setSystemTime(Date.now() + 60_000);
        await runDurableObjectAlarm(laneOf(project));
        await vi.waitFor(async () => {
          const { deployments, project: of } = await recordsOf(project);
          const kept = deployments.filter(({ id }) => id !== canceled);
          expect({ deployments: kept, project: of }, `${kind} at ${at}`).toEqual({
            ...right,
            deployments: right.deployments.filter(({ id }) => id !== canceled),
          });
          expect((await project.deployment(canceled)).status).toBe("failed");
        });
        await kill(() => laneOf(project));
      }
    },
  );

  it("runs by itself if D1 refuses the lane's writes", async () => {
    const { project, order, running, live, superseded } = await fourDeployments();
    await run("UPDATE deployments SET status = 'superseded' WHERE id = ?", live);
    await run("UPDATE deployments SET status = 'live' WHERE id = ?", superseded);
    await project.agent.completes(order);
    await vi.waitFor(async () => {
      vi.setSystemTime(Date.now() + 60_000);
      await runDurableObjectAlarm(laneOf(project));
      expect((await project.deployment(running)).status).toBe("live");
    });
    for (const id of [live, superseded]) expect((await project.deployment(id)).status).toBe("superseded");
  });
});

describe("the schedule", () => {
  const runSchedule = async () =>
    await worker.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => undefined }, env);

  it("repairs each project once a day, and continues where it stopped", async () => {
    const { project, live } = await fourDeployments();
    const deleteLive = () => run("DELETE FROM deployments WHERE id = ?", live);
    const isThere = async () => (await statusesOf(project)).includes("live");
    await deleteLive();
    await runSchedule();
    expect(await isThere()).toBe(true);
    await deleteLive();
    vi.setSystemTime(Date.now() + 23 * HOUR_MS);
    await runSchedule();
    expect(await isThere()).toBe(false);
    vi.setSystemTime(Date.now() + 2 * HOUR_MS);
    await runSchedule();
    expect(await isThere()).toBe(true);
  });

  it("repairs as many projects in a run as its budget allows, and the rest in the next one", async () => {
    const { project, live } = await fourDeployments();
    const [row] = (await run("SELECT * FROM projects WHERE id = ?", project.id)).results;
    for (let before = 0; before < 50; before += 1) {
      const id = `proj_00000000000000000000000${String(before).padStart(3, "0")}`;
      await putBack("projects", { ...row, id, name: `n${before}`, domain: `n${before}.example.com` });
    }
    await run("DELETE FROM deployments WHERE id = ?", live);
    const twoSteps = { statements: 4, calls: 100, timeMs: 60_000 };
    const repair = async () =>
      await runParts(env, { now: () => Date.now() }, { run: [repairLanes], limits: twoSteps });
    await repair();
    expect(await statusesOf(project)).not.toContain("live");
    await repair();
    expect(await statusesOf(project)).toContain("live");
  });

  it("logs which lane failed, and calls the others", async () => {
    const { project, live } = await fourDeployments();
    await run("DELETE FROM deployments WHERE id = ?", live);
    const faults = new Faults();
    faults.disable("lane");
    const outcome = await runSchedule().then(
      () => "fine",
      () => "failed",
    );
    expect(outcome).toBe("failed");
    faults.enable("lane");
    vi.setSystemTime(Date.now() + 25 * HOUR_MS);
    await runSchedule();
    expect(await statusesOf(project)).toContain("live");
  });
});
