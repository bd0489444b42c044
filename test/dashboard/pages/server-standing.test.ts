import { expect, it } from "vitest";

import { serverStanding, troubleFirst } from "#dashboard/pages/project/server-standing.ts";

const health = (state: "ok" | "degraded" | "unknown") => ({ state, reasons: [] });
const live = { name: "web-1", status: "live", health: health("ok") } as const;
const degraded = { name: "web-2", status: "live", health: health("degraded") } as const;
const behind = { name: "web-3", status: "behind", health: health("ok") } as const;

it("a server of a project is live only if all of it works", () => {
  expect(serverStanding(live)).toMatchObject({ label: "Live", tone: "live" });
  expect(serverStanding(degraded)).toMatchObject({ label: "Degraded", tone: "degraded" });
  expect(serverStanding(behind)).toMatchObject({ label: "Behind", tone: "degraded" });
  const ahead = { ...live, status: "ahead" } as const;
  expect(serverStanding(ahead)).toEqual({ label: "Ahead", tone: "building", isTrouble: false });
  expect(serverStanding({ ...ahead, health: health("degraded") }).label).toBe("Degraded");
  expect(serverStanding({ status: "unknown", health: health("unknown") }).label).toBe("Not connected");
  expect(serverStanding({ status: "none", health: health("ok") }).isTrouble).toBe(false);
});

it("servers that need attention come first, in their order", () => {
  expect(troubleFirst([live, degraded, live, behind]).map(({ name }) => name)).toEqual([
    "web-2",
    "web-3",
    "web-1",
    "web-1",
  ]);
});
