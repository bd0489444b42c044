import { afterEach, describe, expect, it, vi } from "vitest";
import { followLog } from "#worker/following/log/follow-log.ts";
import { collect, first, waiting } from "../../support/worker/waiting-log.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

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
