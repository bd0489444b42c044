import { describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { activityReader } from "#dashboard/data/activity.ts";
import { deployment } from "./deployment.ts";

const answer = { ok: true, status: 200, headers: new Headers() } as const;

/** An account whose deployments are read as the control plane tells them. */
class Account {
  rows: Deployment[] = [];
  asked: string[] = [];
  readonly read = activityReader({
    latest: () => {
      this.asked.push("latest");
      const value = { deployments: this.rows.slice(0, 3), next_cursor: null };
      return Promise.resolve({ ...answer, value });
    },
    all: (wanted) => {
      this.asked.push(wanted);
      return Promise.resolve({ ...answer, value: this.rows.filter(({ status }) => status === wanted) });
    },
  });

  /** @returns what was asked for by the next reading, and which versions are live and run after it */
  async next() {
    this.asked = [];
    const read = await this.read();
    const versionsOf = (rows: readonly Deployment[]) => rows.map(({ version }) => version);
    if (!read.ok) throw new Error(read.problem.detail);
    return {
      asked: this.asked,
      live: versionsOf(read.value.live),
      building: versionsOf(read.value.building),
    };
  }
}

const all = ["latest", "live", "building"];

describe("what goes on in all projects", () => {
  it("takes one request at a time while nothing goes on", async () => {
    const account = new Account();
    account.rows = [deployment(1, "live")];
    for (let round = 0; round < 2; round += 1)
      expect(await account.next()).toEqual({ asked: all, live: [1], building: [] });
    for (let round = 0; round < 3; round += 1)
      expect(await account.next()).toEqual({ asked: ["latest"], live: [1], building: [] });
  });

  it("is read whole while something runs, and until it is known what came of it", async () => {
    const account = new Account();
    const first = deployment(1, "live");
    account.rows = [first];
    for (let round = 0; round < 3; round += 1) await account.next();
    const second = deployment(2, "building");
    account.rows = [second, first];
    for (let round = 0; round < 3; round += 1)
      expect(await account.next()).toEqual({ asked: all, live: [1], building: [2] });
    account.rows = [
      { ...second, status: "live" },
      { ...first, status: "superseded" },
    ];
    for (let round = 0; round < 2; round += 1)
      expect(await account.next()).toEqual({ asked: all, live: [2], building: [] });
    expect(await account.next()).toEqual({ asked: ["latest"], live: [2], building: [] });
  });
});
