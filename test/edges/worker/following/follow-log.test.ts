import { afterEach, describe, expect, it, vi } from "vitest";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { ids } from "../../../support/worker/account.ts";
import { collect, first, waiting } from "../../../support/worker/waiting-log.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A lane that accepts the connection and never sends anything. */
const silent = {
  fetch: async () => {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    return new Response(null, { status: 101, webSocket: client });
  },
};

describe("following a log", () => {
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
});
