import { describe, expect, it } from "vitest";

import { CronJobList, CronJobReport, CronOutput, CronRun } from "#contract/endpoints/cron/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { cronJob, endedCronRun } from "../../support/connected-agent/agent-socket.ts";
import { problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";

const path = (project: TestProject, rest = "") => `/v1/projects/${project.id}/cron${rest}`;
const askedOf = ({ agent }: TestProject, type: string) => agent.received.filter((one) => one.type === type);

const backup = { name: "backup", schedule: "30 2 * * *", command: "./backup", timezone: "Europe/Berlin" };

describe("the setting cron", () => {
  it("is stored as a whole, and is part of the next order", async () => {
    const project = await TestProject.answering();
    const mail = { name: "mail", schedule: "@hourly", command: "./mail", timeout_seconds: 60 };
    await project.patch({ cron: [backup, mail] });
    const response = await project.patch({ cron: [mail, backup] });
    expect(Project.parse(await response.json()).cron).toEqual([mail, backup]);
    const { id } = await project.start();
    expect((await project.agent.orderOf(id)).cron).toEqual([mail, backup]);
  });

  it.each([
    [
      { schedule: "30 25 * * *" },
      "/cron/0/schedule",
      "has the hour 25, which is not 0 to 23, a range such as 0-4, * or */2",
    ],
    [
      { timezone: "Europe/Bern" },
      "/cron/0/timezone",
      "is not a known time zone, such as Europe/Berlin: Europe/Bern",
    ],
    [{ timeout_seconds: 0 }, "/cron/0/timeout_seconds", "must be 1 or more"],
  ])("is refused at the field that is wrong: %j", async (change, pointer, message) => {
    const project = await TestProject.create();
    const problem = await problemOf(await project.patch({ cron: [{ ...backup, ...change }] }));
    expect(problem).toMatchObject({ status: 422, errors: [{ pointer, message }] });
  });

  it("is refused with two jobs of the same name", async () => {
    const project = await TestProject.create();
    const problem = await problemOf(await project.patch({ cron: [backup, backup] }));
    expect(problem).toMatchObject({ status: 422, errors: [{ pointer: "/cron/1/name" }] });
  });
});

describe("a job", () => {
  it("is what its server says, with its runs", async () => {
    const project = await TestProject.answering();
    const all = await project.get(path(project));
    expect(CronJobList.parse(await all.json()).jobs).toEqual([cronJob]);
    const one = await project.get(path(project, "/backup"));
    expect(CronJobReport.parse(await one.json())).toEqual(cronJob);
    expect(askedOf(project, "read_cron")).toMatchObject([{ job: null }, { job: "backup" }]);
    project.agent.cronJobs = [];
    expect(await problemOf(await project.get(path(project, "/backup")))).toMatchObject({ status: 404 });
  });

  it("runs now, once for each Idempotency-Key", async () => {
    const project = await TestProject.answering();
    project.agent.cronRun = { ok: false, code: "failed", message: "the disk is full" };
    const headers = { "idempotency-key": "now-1" };
    const run = () => project.post(path(project, "/backup/run"), {}, headers);
    expect(await problemOf(await run())).toMatchObject({ status: 503 });
    project.agent.cronRun = endedCronRun;
    const response = await run();
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe(path(project, "/backup/runs/3/output"));
    expect(CronRun.parse(await response.json())).toEqual(endedCronRun.run);
    const asked = askedOf(project, "run_cron");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ job: "backup", key: expect.stringMatching(/^cmd_/) });
    expect(asked[1]).toMatchObject({ key: asked[0]?.type === "run_cron" ? asked[0].key : "" });
  });

  it.each([
    ["is_running", 409, "too_many"],
    ["refused_by_policy", 409, "refused_by_policy"],
    ["secrets_not_sealed", 409, "secrets_not_sealed"],
    ["unknown_job", 404, "not_found"],
  ] as const)("does not run if its server says %s", async (refusal, status, code) => {
    const project = await TestProject.answering();
    project.agent.cronRun = { ok: false, code: refusal, message: "the job runs already" };
    expect(await problemOf(await project.post(path(project, "/backup/run"), {}))).toMatchObject({
      ...{ status, code },
    });
  });

  it("that its server does not have is refused with the names of the jobs that it has", async () => {
    const project = await TestProject.answering();
    project.agent.cronRun = { ok: false, code: "unknown_job", message: "no such job" };
    const refused = (name: string, rest: string) => ({
      ...{ status: 404, code: "not_found" },
      detail: `The live deployment of the project has no job ${name}.${rest}`,
    });
    const run = async (name: string) =>
      await problemOf(await project.post(path(project, `/${name}/run`), {}));
    expect(await run("nope")).toMatchObject(refused("nope", " It has backup."));
    expect(await run("bakcup")).toMatchObject(refused("bakcup", " Did you mean backup? It has backup."));
    project.agent.cronJobs = [];
    expect(await run("nope")).toMatchObject(refused("nope", " It has none."));
  });

  it("has runs whose output is read from an offset, and that can be stopped", async () => {
    const project = await TestProject.answering();
    const runs = path(project, "/backup/runs/3");
    const output = await project.get(`${runs}/output?offset=12&wait_seconds=5`);
    const { ok: _, ...expected } = endedCronRun;
    expect(CronOutput.parse(await output.json())).toEqual(expected);
    expect(askedOf(project, "read_cron_run")).toMatchObject([
      { job: "backup", run: 3, offset: 12, wait_ms: 5000 },
    ]);
    const stopped = await project.post(`${runs}/stop`, {});
    expect(CronRun.parse(await stopped.json())).toEqual(endedCronRun.run);
    project.agent.cronRun = { ok: false, code: "unknown_run", message: "no such run" };
    expect(await problemOf(await project.get(`${runs}/output`))).toMatchObject({ status: 404 });
  });

  it("cannot be read while its server is offline", async () => {
    const project = await TestProject.create();
    expect(await problemOf(await project.get(path(project)))).toMatchObject({ code: "server_offline" });
  });
});
