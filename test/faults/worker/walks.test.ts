import { afterAll, describe, expect, it } from "vitest";

import type { DeploymentId } from "#contract/ids.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { isIn } from "#domain/lane/lane.ts";
import { startOf } from "#domain/lane/runs.ts";
import { call } from "../../support/worker/call.ts";
import { type FaultKind, faultKinds, Faults, setUpForFaults } from "../../support/worker/faults.ts";
import type { Part } from "../../support/worker/parts.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";
import { sampleOf } from "../../support/sample.ts";
import { expectWhole, type LaneState, Story } from "../../support/worker/story.ts";

setUpForFaults();

type Walk = {
  /** The steps before the faults. */
  readonly before?: (story: Story) => Promise<void>;
  readonly act: (story: Story) => Promise<void>;
  /** More checks at the end. @param where the fault, for messages */
  readonly after?: (story: Story, where: string) => Promise<void>;
};

const isAtRest = ({ waiting }: LaneState) => waiting.length === 0;

const live = async (story: Story, id: DeploymentId) => await story.has(id, "live");
const twoLive = async (story: Story) => {
  await live(story, await story.start());
  await live(story, await story.start());
};

const walks: Record<string, Walk> = {
  "a deployment": { act: async (story) => await live(story, await story.start()) },
  "a deployment whose log is stored in parts": {
    act: async (story) => {
      story.agent.until = "build";
      story.agent.lines = Array.from({ length: 20 }, (_, line) => `${line} `.padEnd(15_000, "-"));
      const id = await story.start();
      await story.until("a part", ({ waiting }) => waiting.includes("log_parts"));
      story.agent.until = "result";
      await live(story, id);
    },
  },
  "a rollback": { before: twoLive, act: async (story) => await live(story, await story.rollBack()) },
  "settings that are applied to what goes live before them": {
    before: twoLive,
    act: async (story) => {
      const id = await story.start();
      await live(story, await story.apply());
      await story.until("superseded", ({ deployments }) =>
        deployments.some((one) => one.id === id && one.state.name === "superseded"),
      );
    },
    after: async ({ project: { id, agent } }, where) => expect(agent.releaseOf(id), where).toBe(3),
  },
  "a deployment that waits for an approval and for the end of a freeze": {
    before: async ({ project }) => {
      await project.patch({ approval: "required" });
      const [from, to] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString());
      const freeze = { name: "launch", times: { type: "once", from, to } };
      expect((await project.post("/v1/freezes", freeze)).status).toBe(201);
    },
    act: async (story) => {
      const id = await story.start();
      await story.approve(id);
      await live(story, id);
    },
    after: async ({ project }, where) => {
      const types = (await recordedEvents(project.id)).map(({ type }) => type.replace("deployment.", ""));
      const course = types.filter((type) => !type.includes(".")).join();
      expect(course, where).toBe("started,held,approved,held,building,live");
    },
  },
  "canceling a running deployment, and the next one": {
    act: async (story) => {
      story.agent.until = "build";
      const id = await story.start();
      await story.until("running", ({ deployments }) =>
        deployments.some((one) => isIn(one, "active") && startOf(one) !== null),
      );
      const next = await story.start();
      await story.cancel(id);
      story.agent.until = "result";
      await live(story, next);
    },
  },
  "deleting a running and a superseded deployment": {
    before: twoLive,
    act: async (story) => {
      const [first] = story.started;
      story.agent.until = "build";
      const id = await story.start();
      await story.until("running", ({ deployments }) =>
        deployments.some((one) => isIn(one, "active") && startOf(one) !== null),
      );
      await story.delete(id);
      if (first !== undefined) await story.delete(first.id);
      await story.until("stopped", ({ deployments }) => !deployments.some((one) => one.deleted));
    },
  },
  "a server that reconnects with another release than the live one": {
    before: twoLive,
    act: async (story) => {
      const { id } = story.project;
      story.agent.serveWithoutOrder(id, 1);
      await story.until(
        "restored",
        async () => story.agent.releaseOf(id) === 2 && (await story.isLinkQuiet()),
      );
    },
    after: async ({ project: { id, agent, token } }, where) => {
      const server = Server.parse(await (await call(`/v1/servers/${agent.serverId}`, { token })).json());
      const project = Project.parse(await (await call(`/v1/projects/${id}`, { token })).json());
      expect(server.status, where).toBe("healthy");
      expect(project.serving, where).toMatchObject({ drifted: false });
    },
  },
  "deleting the whole project": {
    before: twoLive,
    act: async (story) => {
      await story.deleteProject();
      for (const { id } of story.started) story.deleted.add(id);
    },
  },
};

/** Each run takes one of so many points, with one of the three kinds of fault each, and other ones each day. */
const SHARE = 9;

describe("one fault at any call leaves a consistent state at the end of", () => {
  let walked = 0;
  afterAll(() => console.info(`${walked} points of ${Object.keys(walks).length} walks were walked`));

  it.each(Object.entries(walks))("%s", async (name, { before, act, after }) => {
    const faults = new Faults();
    async function walk(at: number | null, kind: FaultKind): Promise<readonly string[]> {
      // Only a project with a name of its own is a copy.
      const story = new Story(await TestProject.create({ name: `shop-${at ?? "clean"}` }));
      await before?.(story);
      const isDeletion = name.includes("whole project");
      const isDone = ({ waiting }: LaneState) =>
        waiting.filter((one) => one !== "alarm" || !isDeletion).length === 0;
      await story.until("at rest", isDone);
      faults.count(at, kind, story.objects);
      await act(story);
      await story.until("at rest", isDone);
      const calls = faults.stop();
      const where = `${kind} at ${at}, ${calls[at ?? -1]}`;
      await expectWhole(story, where);
      await after?.(story, where);
      return calls;
    }
    const calls = await walk(null, "refused");
    const points = [...calls.keys()].flatMap((at) => faultKinds.map((kind) => ({ at, kind })));
    for (const { at, kind } of sampleOf(points, SHARE)) {
      await walk(at, kind);
      walked += 1;
    }
  });
});

/** Every combination of one or more parts. */
const outages: readonly (readonly Part[])[] = [1, 2, 3, 4, 5, 6, 7].map((bits) =>
  (["d1", "r2", "link"] as const).filter((_part, index) => (bits >> index) % 2 === 1),
);

describe("an outage of two minutes", () => {
  it.each(outages.map((parts) => [parts.join(" and "), parts] as const))(
    "of %s: accepted requests are completed afterwards, and others get 503",
    async (_names, parts) => {
      const faults = new Faults();
      const story = new Story(await TestProject.create());
      await live(story, await story.start());
      story.agent.until = "build";
      const running = await story.start();
      await story.until("running", ({ deployments }) =>
        deployments.some((one) => isIn(one, "active") && startOf(one) !== null),
      );
      faults.disable(...parts);
      story.agent.until = "result";
      const asked: number[] = [];
      for (let round = 0; round < 9; round += 1) {
        await story.round();
        await story.passTime(14_000);
        const answer = await story.project.post(`/v1/projects/${story.project.id}/deployments`, {});
        asked.push(answer.status);
        if (answer.status === 201) await story.note(answer);
        else expect(answer.headers.get("retry-after")).toBe("2");
      }
      expect(new Set(asked)).toEqual(new Set([parts.includes("d1") ? 503 : 201]));
      faults.enable(...parts);
      await story.until("at rest", isAtRest);
      expect((await story.project.deployment(running)).status).toMatch(/live|superseded/);
      await expectWhole(story, parts.join());
    },
  );
});
