import { expect, it } from "vitest";

import { serverStanding, troubleFirst } from "#dashboard/pages/project/server-standing.ts";

const health = (state: "ok" | "degraded" | "unknown") => ({ state, reasons: [] });
const checked_at = "2026-11-20T10:00:00.000Z";
const live = { name: "web-1", status: "live", health: health("ok"), checked_at } as const;
const degraded = { ...live, name: "web-2", health: health("degraded") } as const;
const behind = { ...live, name: "web-3", status: "behind" } as const;

it("a server of a project is live only if all of it works", () => {
  expect(serverStanding(live)).toMatchObject({ label: "Live", tone: "live" });
  expect(serverStanding(degraded)).toMatchObject({ label: "Degraded", tone: "degraded" });
  expect(serverStanding(behind)).toMatchObject({ label: "Behind", tone: "degraded" });
  const ahead = { ...live, status: "ahead" } as const;
  expect(serverStanding(ahead)).toEqual({ label: "Ahead", tone: "building", isTrouble: false });
  expect(serverStanding({ ...ahead, health: health("degraded") }).label).toBe("Degraded");
  const unknown = { ...live, status: "unknown", health: health("unknown") } as const;
  expect(serverStanding(unknown).label).toBe("Not connected");
  expect(serverStanding({ ...unknown, checked_at: null }).label).toBe("Not known yet");
  expect(serverStanding({ ...live, status: "none" }).isTrouble).toBe(false);
});

it("servers that need attention come first, in their order", () => {
  expect(troubleFirst([live, degraded, live, behind]).map(({ name }) => name)).toEqual([
    "web-2",
    "web-3",
    "web-1",
    "web-1",
  ]);
});
