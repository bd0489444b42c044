import { afterEach, beforeEach, expect } from "vitest";

import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { AgentRequest } from "#contract/agent-requests.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import type { CronJobReport, CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { ids, AgentWorld } from "../../support/harness.ts";

/** An agent that runs cron jobs, at a time that a test sets. Call it at the top of a test file. */
export function useCronJobs() {
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

  return {
    get world() {
      return world;
    },
    setTime,
    deploy,
    deployWith,
    job,
    answerTo,
    about,
    jobs,
    runs,
    runNow,
    waitForRun,
  };
}
