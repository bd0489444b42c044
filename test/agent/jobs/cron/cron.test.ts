import { readFileSync, rmSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { CronRunReading } from "#contract/endpoints/cron/schemas.ts";

import { ids, isAlive } from "../../support/harness.ts";
import { useCronJobs } from "./use-cron-jobs.ts";

const cron = useCronJobs();
const { setTime, deploy, deployWith, job, answerTo, about, jobs, runs, runNow, waitForRun } = cron;

async function readRun(run: number): Promise<CronRunReading> {
  const request = {
    type: "read_cron_run",
    ...about(),
    job: "tick",
    run,
    offset: 0,
    wait_ms: 10_000,
  } as const;
  return (await answerTo("cron_run_read", request)).result;
}

describe("a job", () => {
  it("runs at its time, once, in the live release with its variables", async () => {
    cron.world.repository.commit({
      "gantry.json": JSON.stringify({ cron: [job('echo "release $GANTRY_VERSION, $MOOD, $KEY"')] }),
    });
    await cron.world.startAgent();
    const variables = {
      ...{ account_id: ids.account(), revision: 1, deployed: false, secrets: [] },
      plain: [{ name: "MOOD", value: "hello" }],
    };
    await deploy({ variables });
    expect(await jobs()).toMatchObject([
      {
        ...{ name: "tick", source: "repository", timezone: "UTC", timeout_seconds: 3600, runs: [] },
        ...{ next_run_at: "2026-11-20T10:01:00.000Z", problem: null },
      },
    ]);
    setTime("2026-11-20T10:01:00Z");
    await waitForRun("exited");
    expect(await runs()).toMatchObject([
      {
        ...{ number: 1, trigger: "schedule", scheduled_for: "2026-11-20T10:01:00.000Z", times: 1 },
        ...{
          status: "exited",
          exit_code: 0,
          release: 1,
          started_at: expect.stringMatching(/^2026-11-20T10:01/),
        },
      },
    ]);
    expect(await readRun(1)).toMatchObject({
      ...{ ok: true, complete: true, lines: [{ stream: "stdout", message: "release 1, hello, " }] },
    });
    setTime("2026-11-20T10:01:40Z");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await runs()).toHaveLength(1);
  });

  it("comes from the project's settings if the repository defines the same name", async () => {
    cron.world.repository.commit({
      "gantry.json": JSON.stringify({ cron: [job("true"), { ...job("true"), name: "tock" }] }),
    });
    await cron.world.startAgent();
    await deployWith({ ...job("date", "0 9 * * *"), timezone: "Asia/Kolkata" });
    expect(await jobs()).toMatchObject([
      { name: "tick", command: "date", source: "project", next_run_at: "2026-11-21T03:30:00.000Z" },
      { name: "tock", command: "true", source: "repository" },
    ]);
  });

  it("does not overlap with its own run, which survives a deployment; skipped times are one note", async () => {
    await cron.world.startAgent();
    const go = cron.world.file("go");
    const line = `while [ ! -e ${go} ]; do sleep 0.02; done; ls`;
    await deployWith(job(line));
    setTime("2026-11-20T10:01:00Z");
    await waitForRun("running");
    for (const minute of [2, 3]) {
      setTime(`2026-11-20T10:0${minute}:00Z`);
      await expect
        .poll(async () => (await runs())[0])
        .toMatchObject({ status: "skipped", times: minute - 1 });
    }
    expect(await runs()).toMatchObject([
      {
        ...{ number: 2, status: "skipped", times: 2, message: "the previous run has not ended" },
        ...{ scheduled_for: "2026-11-20T10:03:00.000Z", release: null },
      },
      { number: 1, status: "running", release: 1 },
    ]);
    expect(await runNow()).toMatchObject({ ok: false, code: "is_running" });
    cron.world.repository.commit({ "new.txt": "" });
    await deployWith(job(line));
    await deployWith(job(line));
    expect(cron.world.releases).toContain(1);
    writeFileSync(go, "");
    await waitForRun("exited", 1);
    expect(await readRun(1)).toMatchObject({ lines: [{ message: "index.html" }] });
  });

  it("runs once after a downtime, and a new job does not", async () => {
    const agent = await cron.world.startAgent();
    await deployWith(job(`echo x >> ${cron.world.file("ran")}`, "0 * * * *"));
    await agent.stop();
    setTime("2026-11-22T15:20:00Z");
    await cron.world.startAgent();
    await waitForRun("exited");
    expect(await runs()).toMatchObject([
      { trigger: "catch_up", scheduled_for: "2026-11-22T15:00:00.000Z", times: 1 },
    ]);
    const other = { ...job(`echo y >> ${cron.world.file("ran")}`, "0 * * * *"), name: "other" };
    await deployWith(job(`echo x >> ${cron.world.file("ran")}`, "30 14 * * *"), other);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(cron.world.linesOf("ran")).toEqual(["x"]);
  });

  it("does not change with a deployment that fails, and runs no more without its project", async () => {
    await cron.world.startAgent({ stopGraceMs: 100 });
    await deployWith(job(`echo $$ >> ${cron.world.file("pids")}; echo up; sleep 600`));
    const failed = await deploy({ cron: [], activate_command: "false" });
    expect(failed.outcome).toBe("failed");
    expect(await jobs()).toHaveLength(1);
    setTime("2026-11-20T10:01:00Z");
    await waitForRun("running");
    await expect.poll(() => cron.world.pidsIn("pids").some(isAlive)).toBe(true);
    cron.world.control.send({ type: "remove_project", project_id: cron.world.projectId, purge: false });
    await cron.world.control.waitFor("the removal", () =>
      cron.world.control.messages.some(({ type }) => type === "project_removed"),
    );
    expect(cron.world.pidsIn("pids").filter(isAlive)).toEqual([]);
    expect(await jobs()).toEqual([]);
    setTime("2026-11-20T10:02:00Z");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(cron.world.pidsIn("pids")).toHaveLength(1);
  });

  it("ends with the agent, also with a killed agent", async () => {
    const agent = await cron.world.startAgent({ stopGraceMs: 100 });
    await deployWith(job("echo up; sleep 600", "0 0 1 1 *"));
    await runNow();
    await agent.stop();
    const folder = projectFolder(cron.world.home, cron.world.projectId);
    const path = `${folder.cronRuns}/tick/1.json`;
    const stored = readFileSync(path, "utf8");
    expect(stored).toContain('"lost"');
    writeFileSync(
      path,
      stored.replace('"lost"', '"running"').replace(/"finished_at":"[^"]+"/, '"finished_at":null'),
    );
    await cron.world.startAgent();
    expect(await readRun(1)).toMatchObject({
      ...{ complete: true, run: { status: "lost", message: "was ended because the agent ended" } },
    });
  });
});

describe("a job that fails", () => {
  /** What the agent's messages report of the job, in order, without repetitions. */
  const reported = () => {
    const projects = cron.world.control.messages.flatMap((one) =>
      one.type === "serving"
        ? [one.project]
        : one.type === "hello" || one.type === "status"
          ? one.projects
          : [],
    );
    const verdicts = projects.flatMap(({ jobs: all = [] }) =>
      all.map(({ failed }) => failed?.number ?? null),
    );
    return verdicts.filter((verdict, at) => at === 0 || verdict !== verdicts[at - 1]);
  };

  it("is reported with its first failure and the last line that it printed, until it succeeds or is removed", async () => {
    await cron.world.startAgent();
    const [broken, slow] = [cron.world.file("broken"), cron.world.file("slow")];
    for (const file of [broken, slow]) writeFileSync(file, "");
    const fails = `echo trying; if [ -e ${broken} ]; then echo no disk >&2; exit 3; fi`;
    await deployWith(job(`${fails}; if [ -e ${slow} ]; then sleep 600; fi`, "0 0 1 1 *"));
    await runNow();
    await expect.poll(reported).toEqual([1]);
    const failed = cron.world.control.messages.flatMap((one) =>
      one.type === "serving" ? (one.project.jobs ?? []).flatMap((two) => two.failed ?? []) : [],
    );
    expect(failed.at(-1)).toMatchObject({
      ...{ number: 1, status: "exited", exit_code: 3, signal: null },
      ...{ message: "ended with exit code 3", last_line: "no disk" },
    });
    await runNow();
    await expect.poll(async () => (await runs())[0]).toMatchObject({ number: 2, status: "exited" });
    rmSync(broken);
    await runNow();
    await answerTo("cron_run_read", { type: "stop_cron_run", ...about(), job: "tick", run: 3 });
    await expect.poll(async () => (await runs())[0]).toMatchObject({ number: 3, status: "stopped" });
    expect(reported()).toEqual([1]);
    rmSync(slow);
    await runNow();
    await expect.poll(reported).toEqual([1, null]);
  });
});

describe("a run that somebody asks for", () => {
  it("is started once for each request, and stopped", async () => {
    await cron.world.startAgent({ stopGraceMs: 100 });
    await deployWith(job(`echo x >> ${cron.world.file("ran")}; sleep 600`, "0 0 1 1 *"));
    const key = ids.command();
    const [one, two] = await Promise.all([runNow(key), runNow(key)]);
    expect(one).toMatchObject({ ok: true, run: { number: 1, trigger: "manual", scheduled_for: null } });
    expect(two).toMatchObject({ ok: true, run: { number: 1 } });
    await expect.poll(() => cron.world.linesOf("ran")).toEqual(["x"]);
    const stop = { type: "stop_cron_run", ...about(), job: "tick", run: 1 } as const;
    expect((await answerTo("cron_run_read", stop)).result).toMatchObject({ run: { status: "stopped" } });
    expect(cron.world.linesOf("ran")).toEqual(["x"]);
    expect(await readRun(7)).toMatchObject({ ok: false, code: "unknown_run" });
  });
});

describe("a server whose policy does not allow a job", () => {
  it("refuses its deployment, with the rule and the line to add", async () => {
    cron.world.policy = {};
    await cron.world.startAgent();
    expect(await deploy({ cron: [job("true")] })).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining('"cron": "any"') },
    });
    cron.world.repository.commit({ "gantry.json": JSON.stringify({ cron: [job("true")] }) });
    expect(await deploy()).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("--allow-cron") },
    });
  });
});
