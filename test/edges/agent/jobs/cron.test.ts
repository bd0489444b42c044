import { existsSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { writeRunNote } from "#agent/jobs/cron/run-notes.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { useCronJobs } from "../../../agent/jobs/cron/use-cron-jobs.ts";

const cron = useCronJobs();
const { setTime, deploy, deployWith, job, jobs, runs, runNow, waitForRun } = cron;

describe("a job", () => {
  it("does not run again for the same minute after a restart or when the clock is put back", async () => {
    const agent = await cron.world.startAgent();
    await deployWith(job(`echo x >> ${cron.world.file("ran")}`));
    setTime("2026-11-20T10:05:00Z");
    await waitForRun("exited");
    setTime("2026-11-20T10:02:30Z");
    await agent.stop();
    await cron.world.startAgent();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(cron.world.linesOf("ran")).toEqual(["x"]);
    // By days: the clock was wrong before.
    setTime("2026-11-18T08:00:30Z");
    await new Promise((resolve) => setTimeout(resolve, 100));
    setTime("2026-11-18T08:01:00Z");
    await expect.poll(() => cron.world.linesOf("ran")).toEqual(["x", "x"]);
  });

  it("does not run again for the same time if the clock was wrong meanwhile", async () => {
    await cron.world.startAgent();
    await deployWith(job(`echo x >> ${cron.world.file("ran")}`, "5 10 * * *"));
    setTime("2026-11-20T10:05:00Z");
    await waitForRun("exited");
    setTime("1970-01-01T00:00:10Z");
    await new Promise((resolve) => setTimeout(resolve, 100));
    setTime("2026-11-20T10:20:00Z");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(cron.world.linesOf("ran")).toEqual(["x"]);
    setTime("2026-11-21T10:05:00Z");
    await expect.poll(() => cron.world.linesOf("ran")).toEqual(["x", "x"]);
  });
});

describe("a run that somebody asks for", () => {
  it("is one of the newest 20 that are kept", async () => {
    await cron.world.startAgent();
    await deployWith(job("true", "0 0 1 1 *"));
    await runNow();
    await waitForRun("exited");
    const [run] = await runs();
    if (run === undefined) throw new Error("no run");
    const folder = projectFolder(cron.world.home, cron.world.projectId);
    for (let number = 2; number <= 22; number += 1)
      await writeRunNote(folder, { job: "tick", key: null, run: { ...run, number } });
    await runNow();
    await expect.poll(async () => (await runs()).map(({ number }) => number).at(-1)).toBe(4);
    expect(await runs()).toHaveLength(20);
    expect((await jobs())[0]?.runs).toHaveLength(5);
    await deployWith();
    await expect.poll(() => existsSync(`${folder.cronRuns}/tick`)).toBe(false);
  });
});

describe("a server whose policy does not allow a job", () => {
  it("skips a job that it allowed before", async () => {
    cron.world.policy = { cron: ["true"] };
    const agent = await cron.world.startAgent();
    await deployWith(job("true"));
    await agent.stop();
    cron.world.policy = { cron: ["date"] };
    await cron.world.startAgent();
    const reason = expect.stringMatching(
      /^this server's policy \(cron\) does not allow a cron job with the command true/,
    );
    expect(await jobs()).toMatchObject([{ problem: reason, next_run_at: null }]);
    setTime("2026-11-20T10:01:00Z");
    await waitForRun("skipped");
    expect((await runs())[0]).toMatchObject({ message: reason, release: null });
  });

  it("fails the deployment of a schedule that it does not understand", async () => {
    await cron.world.startAgent();
    expect(await deploy({ cron: [job("true", "@sometimes")] })).toMatchObject({
      failure: {
        code: "start_failed",
        message: expect.stringMatching(/^the schedule of the job tick must have/),
      },
    });
  });
});
