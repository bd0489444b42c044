import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { DeploymentStarted } from "#contract/deployments.ts";
import { DeploymentId } from "#contract/ids.ts";
import { LogPage } from "#contract/logs.ts";
import { LaneDeployment } from "#domain/lane/lane.ts";
import { recordOf } from "#worker/objects/deployment-record.ts";
import { faultKinds, Faults, type ObjectOf } from "../../support/worker/faults.ts";
import { PersistentAgent } from "../../support/worker/persistent-agent.ts";
import { TestProject } from "../../support/worker/project.ts";

let now = 0;

beforeEach(() => {
  now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now });
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What goes on around one project: its lane, its server's agent, and a client that repeats what is answered 503. */
class Story {
  readonly project: TestProject;
  readonly agent: PersistentAgent;
  readonly started: DeploymentStarted[] = [];
  readonly deleted = new Set<string>();
  #keys = 0;

  constructor(project: TestProject) {
    this.project = project;
    this.agent = new PersistentAgent(project.agent);
  }

  get objects(): ObjectOf[] {
    const { id, agent } = this.project;
    return [() => env.PROJECT_LANE.getByName(id), () => env.AGENT_LINK.getByName(agent.serverId)];
  }

  async start(): Promise<DeploymentId> {
    return await this.#begin(`/v1/projects/${this.project.id}/deployments`, {});
  }

  async rollBack(): Promise<DeploymentId> {
    return await this.#begin("/v1/rollback", { project_id: this.project.id });
  }

  async cancel(id: DeploymentId): Promise<void> {
    await this.#insist(() => this.project.post(`/v1/deployments/${id}/cancel`, {}), [200, 409]);
  }

  async delete(id: DeploymentId): Promise<void> {
    await this.#insist(() => this.project.delete(id), [204, 404]);
    this.deleted.add(id);
  }

  async deleteProject(): Promise<void> {
    await this.#insist(() => this.project.remove(), [204, 404]);
  }

  async #begin(path: string, body: unknown): Promise<DeploymentId> {
    const headers = { "idempotency-key": `key-${(this.#keys += 1)}` };
    const answer = await this.#insist(() => this.project.post(path, body, headers), [201]);
    const started = DeploymentStarted.parse(await answer.json());
    this.started.push(started);
    return started.id;
  }

  async #insist(send: () => Promise<Response>, wanted: readonly number[]): Promise<Response> {
    for (;;) {
      const answer = await send();
      if (answer.status !== 503) {
        expect(wanted).toContain(answer.status);
        return answer;
      }
    }
  }

  /** Lets time pass, alarms come and the agent work, until the lane says so. */
  async until(what: string, isSo: (state: LaneState) => boolean): Promise<void> {
    for (let round = 1; round < 400; round += 1) {
      await this.agent.step();
      const state = await this.laneState();
      if (state !== null && isSo(state)) return;
      await scheduler.wait(2);
      if (round % 8 === 0) await this.#passTime();
    }
    throw new Error(`never ${what}: ${JSON.stringify(await this.laneState())}`);
  }

  async has(id: DeploymentId, name: string): Promise<void> {
    await this.until(`${name} ${id}`, ({ deployments, forgotten }) =>
      deployments.some((one) => one.id === id)
        ? deployments.some((one) => one.id === id && one.state.name === name)
        : forgotten,
    );
  }

  async #passTime(): Promise<void> {
    vi.setSystemTime((now += 7000));
    for (const object of this.objects) {
      try {
        await runDurableObjectAlarm(object());
      } catch {
        // Killed while it ran.
      }
    }
  }

  /** The lane as its storage has it. `isDone`: nothing is left to carry out, and no alarm is set. */
  async laneState(): Promise<LaneState | null> {
    const [lane] = this.objects;
    if (lane === undefined) return null;
    try {
      return await runInDurableObject(lane(), async (_lane, { storage }) => {
        const read = (query: string) => storage.sql.exec<Record<string, string | number>>(query).toArray();
        const outbox = ["serving", "found", "removals", "restores", "project_removal", "log_heads", "log_chunks", "log_parts"];
        const waiting = outbox.filter((table) => read(`SELECT * FROM ${table}`).length > 0);
        if (read("SELECT id FROM deployments WHERE revision <> written_revision").length > 0) waiting.push("deployments");
        const deployments = read("SELECT json FROM deployments ORDER BY version").map(({ json }) =>
          LaneDeployment.parse(JSON.parse(String(json))),
        );
        const alarm = await storage.getAlarm();
        if (alarm !== null) waiting.push("alarm");
        return { deployments, waiting, forgotten: true };
      });
    } catch {
      return null;
    }
  }
}

type LaneState = {
  readonly deployments: readonly LaneDeployment[];
  /** The tables that have something left to be carried out, and the alarm if it is set. */
  readonly waiting: readonly string[];
  readonly forgotten: boolean;
};

/** What must be true when everything has come to its end. */
async function expectWhole(story: Story, where: string): Promise<void> {
  const { project, started, deleted } = story;
  const state = await story.laneState();
  const { results } = await env.DB.prepare("SELECT * FROM deployments WHERE project_id = ? ORDER BY version")
    .bind(project.id)
    .all();
  const kept = started.filter(({ id }) => !deleted.has(id));
  expect(results.map(({ id, version }) => ({ id, version })), where).toEqual(
    kept.map(({ id, version }) => ({ id, version })),
  );
  expect(new Set(started.map(({ version }) => version)).size, where).toBe(started.length);
  const lives = results.filter(({ status }) => status === "live");
  expect(lives.length, where).toBe(state?.deployments.filter((one) => one.state.name === "live").length);
  for (const deployment of state?.deployments ?? []) {
    const row = results.find(({ id }) => id === deployment.id);
    const { status, stage, release, commitSha } = recordOf(deployment, project.id);
    expect(row, where).toMatchObject({ status, stage, release, commit_sha: commitSha });
  }
  const { objects } = await env.LOGS.list();
  const keys = objects.map(({ key }) => key).filter((key) => key.includes(project.id));
  expect(keys.map((key) => key.split("/").slice(3).join("/")), where).toEqual(
    kept.map(({ id }) => `${id}/log.ndjson`).toSorted(),
  );
  for (const { id } of kept) await expectWholeLog(story, id, where);
}

async function expectWholeLog({ project, agent }: Story, id: string, where: string): Promise<void> {
  const { lines } = LogPage.parse(await (await project.get(`/v1/logs/${id}?limit=1000`)).json());
  expect(lines.map(({ line }) => line), where).toEqual(lines.map((_, index) => index + 1));
  const output = lines.filter(({ stream }) => stream === "stdout").map(({ message }) => message);
  if (output.length > 0) expect(output, where).toEqual(agent.lines);
  expect(lines.at(-1)?.stage, where).toBe("end");
}

type Walk = {
  /** What comes before, without faults. */
  readonly before?: (story: Story) => Promise<void>;
  readonly act: (story: Story) => Promise<void>;
};

const live = async (story: Story, id: DeploymentId) => await story.has(id, "live");
const twoLive = async (story: Story) => {
  await live(story, await story.start());
  await live(story, await story.start());
};

const walks: Record<string, Walk> = {
  "a deployment": { act: async (story) => await live(story, await story.start()) },
  "a deployment whose log is stored in parts": {
    act: async (story) => {
      story.agent.until = "ready";
      const id = await story.start();
      await story.until("a part", ({ waiting }) => waiting.includes("log_parts"));
      story.agent.until = "result";
      await live(story, id);
    },
  },
  "a rollback": { before: twoLive, act: async (story) => await live(story, await story.rollBack()) },
  "a cancel of one that runs, and the next one": {
    act: async (story) => {
      story.agent.until = "ready";
      const id = await story.start();
      await story.until("running", ({ deployments }) => deployments.some((one) => one.state.name === "running"));
      const next = await story.start();
      await story.cancel(id);
      story.agent.until = "result";
      await live(story, next);
    },
  },
  "a delete of one that runs, and of one that was live": {
    before: twoLive,
    act: async (story) => {
      const [first] = story.started;
      story.agent.until = "ready";
      const id = await story.start();
      await story.until("running", ({ deployments }) => deployments.some((one) => one.state.name === "running"));
      await story.delete(id);
      if (first !== undefined) await story.delete(first.id);
      await story.until("stopped", ({ deployments }) => !deployments.some((one) => one.deleted));
    },
  },
  "a deletion of the whole project": {
    before: twoLive,
    act: async (story) => {
      await story.deleteProject();
      for (const { id } of story.started) story.deleted.add(id);
    },
  },
};

describe("wherever something goes wrong once, all is whole in the end, after", () => {
  let walked = 0;
  afterAll(() => console.info(`${walked} points of ${Object.keys(walks).length} walks were walked`));

  it.each(Object.entries(walks))("%s", async (name, { before, act }) => {
    const faults = new Faults();
    async function walk(at: number | null, kind: (typeof faultKinds)[number]): Promise<readonly string[]> {
      const story = new Story(await TestProject.create());
      await before?.(story);
      const isDeletion = name.includes("whole project");
      const isDone = ({ waiting }: LaneState) => waiting.filter((one) => one !== "alarm" || !isDeletion).length === 0;
      await story.until("at rest", isDone);
      faults.count(at, kind, story.objects);
      await act(story);
      await story.until("at rest", isDone);
      const calls = faults.stop();
      await expectWhole(story, `${kind} at ${at}, ${calls[at ?? -1]}`);
      return calls;
    }
    const calls = await walk(null, "refused");
    for (const kind of faultKinds) {
      for (const at of calls.keys()) {
        await walk(at, kind);
        walked += 1;
      }
    }
    console.info(`${name}: ${calls.length}: ${calls.join(", ")}`);
  }, 240_000);
});
