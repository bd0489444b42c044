import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { DeploymentId } from "#contract/ids.ts";
import { type LogSource, followLog, type LogEvent } from "#worker/following/log/follow-log.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { ids } from "../../support/worker/account.ts";
import { TestProject } from "../../support/worker/project.ts";

const HEARTBEAT_MS = 20;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A real lane with a queued deployment, and the arguments to follow its log. */
async function waiting(): Promise<{ project: TestProject; id: string; log: LogSource<string> }> {
  const project = await TestProject.create();
  const id = DeploymentId.parse((await project.start()).id);
  const log = {
    read: async function* () {},
    connect: () => followLane(env.PROJECT_LANE.getByName(project.id), id, ids.token()),
    ending: async () => "ended",
    heartbeatMs: HEARTBEAT_MS,
  };
  return { project, id, log };
}

/** A lane that accepts the connection and never sends anything. */
const silent = {
  fetch: async () => {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    return new Response(null, { status: 101, webSocket: client });
  },
};

type EventType = LogEvent<string>["type"];

/** Returns the types of a followed log's events up to the last one needed, then stops following. */
async function collect(
  isEnough: (types: readonly EventType[]) => boolean,
  log: LogSource<string>,
  afterLine = 0,
): Promise<EventType[]> {
  const types: EventType[] = [];
  for await (const { type } of followLog(log, afterLine, new AbortController().signal)) {
    types.push(type);
    if (isEnough(types)) break;
  }
  return types;
}

const first = (count: number, log: LogSource<string>, afterLine = 0) =>
  collect((types) => types.length === count, log, afterLine);

describe("following a log", () => {
  it("sends heartbeats while no lines are written", async () => {
    const { log } = await waiting();
    // On a busy machine, a heartbeat can come before the lines.
    const types = await collect((all) => all.length > 3 && all.includes("lines"), log);
    expect(types.filter((type) => type !== "alive")).toEqual(["lines"]);
  });

  it("makes no database reads while it waits, also for a line that does not exist yet", async () => {
    const { log } = await waiting();
    let asked = 0;
    const ending = async () => {
      asked += 1;
      return null;
    };
    expect(await first(4, { ...log, ending }, 1_000)).toEqual(["alive", "alive", "alive", "alive"]);
    expect(asked).toBe(0);
  });

  it("stops if it is aborted while it connects", async () => {
    const { log } = await waiting();
    const aborted = new AbortController();
    const connect = async () => {
      const connected = await log.connect();
      aborted.abort();
      return connected;
    };
    let heartbeats = 0;
    for await (const { type } of followLog({ ...log, connect }, 1_000, aborted.signal))
      if (type === "alive" && ++heartbeats === 3) break;
    expect(heartbeats).toBe(0);
  });

  it("stops at once when it is aborted", async () => {
    const { log } = await waiting();
    const aborted = new AbortController();
    const types: string[] = [];
    for await (const { type } of followLog({ ...log, heartbeatMs: 60_000 }, 0, aborted.signal)) {
      types.push(type);
      setTimeout(() => aborted.abort(), 10);
    }
    expect(types).toEqual(["lines"]);
  });

  it("reconnects if the lane does not answer pings", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { log } = await waiting();
    const lanes = [silent, silent];
    const connect = async () => {
      const lane = lanes.pop();
      return lane === undefined ? await log.connect() : await followLane(lane, ids.deployment(), ids.token());
    };
    const types = await collect((all) => all.includes("lines"), { ...log, connect });
    expect(types.filter((type) => type === "alive").length).toBeGreaterThanOrEqual(4);
    expect(lanes).toEqual([]);
  });

  it("stops without an end event after five consecutive failures", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { log } = await waiting();
    let tries = 0;
    const connect = () => {
      tries += 1;
      return Promise.reject(new Error("no lane"));
    };
    expect(await first(1, { ...log, connect })).toEqual([]);
    expect(tries).toBe(5);
  });

  it("ends when the database has the result, and sends heartbeats until then", async () => {
    const { project, id, log } = await waiting();
    await project.post(`/v1/deployments/${id}/cancel`);
    const answers = [null, null];
    const types = await first(9, {
      ...log,
      ending: async () => (answers.pop() === null ? null : "canceled"),
    });
    expect(types.slice(-3)).toEqual(["alive", "alive", "end"]);
  });
});
