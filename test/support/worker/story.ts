import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { LogPage } from "#contract/endpoints/logs/schemas.ts";
import type { LaneDeployment } from "#domain/lane/lane.ts";
import { recordOf } from "#worker/objects/project-lane/deployment-record.ts";
import { LaneStore } from "#worker/objects/project-lane/lane-store.ts";
import { fromStored, storedDeployment } from "#worker/objects/project-lane/stored-deployment.ts";
import type { ObjectOf } from "./faults.ts";
import { type ConnectedAgent, PRESET } from "../connected-agent/connected-agent.ts";
import type { TestProject } from "./project.ts";
import { recordedEntries, recordedEvents } from "./recorded.ts";

/**
 * A scenario with one project: its lane, its server's agent, and a client that repeats requests after a 503. It
 * needs a fixed clock (`vi.useFakeTimers({ toFake: ["Date"] })`), and moves it.
 */
export class Story {
  readonly project: TestProject;
  readonly agent: ConnectedAgent;
  readonly started: DeploymentStarted[] = [];
  readonly deleted = new Set<string>();
  #keys = 0;

  constructor(project: TestProject) {
    this.project = project;
    this.agent = project.agent;
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

  /** Applies the current settings to the live code. */
  async apply(): Promise<DeploymentId> {
    return await this.#begin(`/v1/projects/${this.project.id}/apply`, {});
  }

  /** Approves a deployment when its commit is known. */
  async approve(id: DeploymentId): Promise<void> {
    await this.until("resolved", ({ deployments }) =>
      deployments.some((one) => one.id === id && one.pin.name === "pinned"),
    );
    await this.#insist(() => this.project.post(`/v1/deployments/${id}/approve`, {}), [200]);
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
    return await this.note(await this.#insist(() => this.project.post(path, body, headers), [201]));
  }

  /** Records the deployment that a response says was started. */
  async note(answer: Response): Promise<DeploymentId> {
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

  /** Moves the clock, runs alarms and lets the agent work, until the lane is in this state. */
  async until(what: string, isSo: (state: LaneState) => boolean | Promise<boolean>): Promise<void> {
    for (let round = 1; round < 400; round += 1) {
      await this.round();
      const state = await this.laneState();
      if (state !== null && (await isSo(state))) return;
      if (round % 8 === 0) await this.passTime(7000);
    }
    const { results } = await env.DB.prepare(
      "SELECT version, status, failure FROM deployments WHERE project_id = ?",
    )
      .bind(this.project.id)
      .all();
    throw new Error(
      `never ${what}: ${JSON.stringify({ ...(await this.laneState()), results, deployments: [] })}`,
    );
  }

  async has(id: DeploymentId, name: string): Promise<void> {
    await this.until(`${name} ${id}`, ({ deployments }) =>
      deployments.some((one) => one.id === id && one.state.name === name),
    );
  }

  /** Runs one step of the agent. */
  async round(): Promise<void> {
    vi.setSystemTime(Date.now() + 1);
    await this.agent.step();
    await scheduler.wait(2);
  }

  /** Moves the clock and runs the alarms. */
  async passTime(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    for (const object of this.objects) {
      try {
        await runDurableObjectAlarm(object());
      } catch {
        // The object was killed during its alarm.
      }
    }
  }

  /** Whether the agent is connected and its link has no pending deliveries. */
  async isLinkQuiet(): Promise<boolean> {
    const [, link] = this.objects;
    if (link === undefined || !this.project.agent.isOpen) return false;
    try {
      return await runInDurableObject(link(), (_link, { storage }) => isQuiet(storage));
    } catch {
      return false;
    }
  }

  /** The lane in its storage. `waiting` is empty if no work is pending and no alarm is set. */
  async laneState(): Promise<LaneState | null> {
    const [lane] = this.objects;
    if (lane === undefined) return null;
    try {
      return await runInDurableObject(lane(), async (_lane, { storage }) => {
        const read = (query: string) => storage.sql.exec<Record<string, string | number>>(query).toArray();
        if (!LaneStore.isIn(storage.sql)) return { deployments: [], waiting: [] };
        const outbox = [
          "servings",
          "detected",
          "removals",
          "corrections",
          "project_removal",
          "changes",
          "log_heads",
          "log_chunks",
          "log_parts",
        ];
        const waiting = outbox.filter((table) => read(`SELECT * FROM ${table}`).length > 0);
        if (read("SELECT id FROM deployments WHERE revision <> written_revision").length > 0)
          waiting.push("deployments");
        const deployments = read("SELECT json FROM deployments ORDER BY version").map(({ json }) =>
          fromStored(storedDeployment.parse({ ...JSON.parse(String(json)), variables: null })),
        );
        const alarm = await storage.getAlarm();
        if (waiting.length > 0) expect(alarm, `an alarm for ${waiting.join(", ")}`).not.toBeNull();
        if (alarm !== null) waiting.push("alarm");
        return { deployments, waiting };
      });
    } catch {
      return null;
    }
  }
}

export type LaneState = {
  readonly deployments: readonly LaneDeployment[];
  /** The tables with pending work, and "alarm" if an alarm is set. */
  readonly waiting: readonly string[];
};

/** Checks that lane, D1 and R2 are consistent at the end. */
export async function expectWhole(story: Story, where: string): Promise<void> {
  const { project, started, deleted } = story;
  const state = await story.laneState();
  const { results } = await env.DB.prepare("SELECT * FROM deployments WHERE project_id = ? ORDER BY version")
    .bind(project.id)
    .all();
  const kept = started.filter(({ id }) => !deleted.has(id));
  expect(
    results.map(({ id, version }) => ({ id, version })),
    where,
  ).toEqual(kept.map(({ id, version }) => ({ id, version })));
  expect(new Set(started.map(({ version }) => version)).size, where).toBe(started.length);
  if (state !== null && kept.length > 0) {
    const detected = await env.DB.prepare("SELECT detected FROM projects WHERE id = ?")
      .bind(project.id)
      .first("detected");
    expect(JSON.parse(String(detected)), where).toEqual(PRESET);
  }
  const lives = results.filter(({ status }) => status === "live");
  expect(lives.length, where).toBe(state?.deployments.filter((one) => one.state.name === "live").length);
  for (const deployment of state?.deployments ?? []) {
    const row = results.find(({ id }) => id === deployment.id);
    const { status, stage, release, commitSha } = recordOf(deployment, project.id);
    expect(row, where).toMatchObject({ status, stage, release, commit_sha: commitSha });
  }
  const { objects } = await env.LOGS.list();
  const keys = objects.map(({ key }) => key).filter((key) => key.includes(project.id));
  expect(
    keys.map((key) => key.split("/").slice(3).join("/")),
    where,
  ).toEqual(kept.map(({ id }) => `${id}/log.ndjson`).toSorted());
  for (const { id } of kept) await expectWholeLog(story, id, where);
  await expectWholeEvents(story, where);
}

/** Each deployment has its events once and in order, and the request that started it one audit entry. */
async function expectWholeEvents({ project, started }: Story, where: string): Promise<void> {
  const events = await recordedEvents(project.id);
  const entries = await recordedEntries(project.id);
  for (const { id } of started) {
    const types = events.flatMap(({ type, data }) =>
      "deployment" in data && data.deployment.id === id ? [type.slice("deployment.".length)] : [],
    );
    const others = ["deleted", "superseded", "held"];
    const course = types.filter((type) => !others.includes(type)).join();
    expect(course, where).toMatch(/^started(,approved)?(,building)?,(live|failed|canceled)$/);
    const once = types.filter((type) => type !== "held");
    expect(new Set(once).size, where).toBe(once.length);
    const asked = entries.filter(({ target }) => target?.id === id);
    expect(asked.filter(({ action }) => !/^(approve|cancel|delete)/.test(action)).length, where).toBe(1);
  }
  const removals = events.filter(({ type }) => type === "project.deleted");
  const row = await env.DB.prepare("SELECT 1 FROM projects WHERE id = ?").bind(project.id).first();
  expect(removals.length, where).toBe(row === null ? 1 : 0);
}

async function expectWholeLog({ project, agent }: Story, id: string, where: string): Promise<void> {
  const { lines } = LogPage.parse(await (await project.get(`/v1/logs/${id}?limit=1000`)).json());
  expect(
    lines.map(({ line }) => line),
    where,
  ).toEqual(lines.map((_, index) => index + 1));
  const output = lines.filter(({ stream }) => stream === "stdout").map(({ message }) => message);
  if (output.length > 0) expect(output, where).toEqual(agent.lines);
  expect(lines.at(-1)?.stage, where).toBe("end");
}

/** Whether an AgentLink has no pending deliveries. */
export function isQuiet({ kv, sql }: DurableObjectStorage): boolean {
  const presence = kv.get<{ revision: number; written: number }>("presence");
  const waiting = ["said", "serving"].flatMap((table) =>
    sql.exec(`SELECT project_id FROM ${table}`).toArray(),
  );
  return presence !== undefined && presence.revision === presence.written && waiting.length === 0;
}
