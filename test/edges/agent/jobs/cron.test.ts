import { existsSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { writeRunNote } from "#agent/jobs/cron/run-notes.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { AgentRequest } from "#contract/agent-requests.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobReport, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { RunOrder } from "#contract/agent-order.ts";

import { ids, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
let asked = 0;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.policy = { cron: "any" };
  world.repository.commit({ "index.html": "hello" });
  setTime("2026-11-20T10:00:30Z");
});
afterEach(() => world.close());

/** Puts the agent's clock to a time. It runs on from there. */
function setTime(text: string): void {
  world.clockShiftMs = Date.parse(text) - Date.now();
}

async function deploy(change: Partial<RunOrder> = {}) {
  const { result } = await world.deploy(change);
  return result;
}

/** Puts a release live with these jobs. */
async function deployWith(...cron: CronJob[]): Promise<void> {
  expect((await deploy({ cron })).outcome).toBe("live");
}

const job = (command: string, schedule = "* * * * *"): CronJob => ({ name: "tick", schedule, command });

async function answerTo<Type extends AgentAnswer["type"]>(type: Type, request: AgentRequest) {
  world.control.send(request);
  const find = () =>
    world.control.messages.find(
      (one): one is Extract<AgentAnswer, { type: Type }> =>
        one.type === type && "request_id" in one && one.request_id === request.request_id,
    );
  await world.control.waitFor(`the answer to ${request.type}`, () => find() !== undefined);
  const answer = find();
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

const about = () => ({ request_id: `request-${(asked += 1)}`, project_id: world.projectId });

async function jobs(name: string | null = null): Promise<CronJobReport[]> {
  return (await answerTo("cron_read", { type: "read_cron", ...about(), job: name })).jobs;
}

/** The runs of the job `tick`, the newest first. */
const runs = async () => (await jobs("tick"))[0]?.runs ?? [];

async function runNow(key = ids.command()): Promise<CronRunReading> {
  const request = { type: "run_cron", ...about(), job: "tick", key } as const;
  return (await answerTo("cron_run_read", request)).result;
}

const waitForRun = (status: string, at = 0) =>
  expect.poll(async () => (await runs())[at]).toMatchObject({ status });

describe("a job", () => {
  it("does not run again for the same minute after a restart or when the clock is put back", async () => {
    const agent = await world.startAgent();
    await deployWith(job(`echo x >> ${world.file("ran")}`));
    setTime("2026-11-20T10:05:00Z");
    await waitForRun("exited");
    setTime("2026-11-20T10:02:30Z");
    await agent.stop();
    await world.startAgent();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(world.linesOf("ran")).toEqual(["x"]);
    // By days: the clock was wrong before.
    setTime("2026-11-18T08:00:30Z");
    await new Promise((resolve) => setTimeout(resolve, 100));
    setTime("2026-11-18T08:01:00Z");
    await expect.poll(() => world.linesOf("ran")).toEqual(["x", "x"]);
  });

  it("does not run again for the same time if the clock was wrong meanwhile", async () => {
    await world.startAgent();
    await deployWith(job(`echo x >> ${world.file("ran")}`, "5 10 * * *"));
    setTime("2026-11-20T10:05:00Z");
    await waitForRun("exited");
    setTime("1970-01-01T00:00:10Z");
    await new Promise((resolve) => setTimeout(resolve, 100));
    setTime("2026-11-20T10:20:00Z");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(world.linesOf("ran")).toEqual(["x"]);
    setTime("2026-11-21T10:05:00Z");
    await expect.poll(() => world.linesOf("ran")).toEqual(["x", "x"]);
  });
});

describe("a run that somebody asks for", () => {
  it("is one of the newest 20 that are kept", async () => {
    await world.startAgent();
    await deployWith(job("true", "0 0 1 1 *"));
    await runNow();
    await waitForRun("exited");
    const [run] = await runs();
    if (run === undefined) throw new Error("no run");
    const folder = projectFolder(world.home, world.projectId);
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
    world.policy = { cron: ["true"] };
    const agent = await world.startAgent();
    await deployWith(job("true"));
    await agent.stop();
    world.policy = { cron: ["date"] };
    await world.startAgent();
    const reason = expect.stringMatching(
      /^this server's policy \(cron\) does not allow a cron job with the command true/,
    );
    expect(await jobs()).toMatchObject([{ problem: reason, next_run_at: null }]);
    setTime("2026-11-20T10:01:00Z");
    await waitForRun("skipped");
    expect((await runs())[0]).toMatchObject({ message: reason, release: null });
  });

  it("fails the deployment of a schedule that it does not understand", async () => {
    await world.startAgent();
    expect(await deploy({ cron: [job("true", "@sometimes")] })).toMatchObject({
      failure: {
        code: "start_failed",
        message: expect.stringMatching(/^the schedule of the job tick must have/),
      },
    });
  });
});
