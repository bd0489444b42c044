import { describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { activityReader } from "#dashboard/data/activity.ts";
import { deployment } from "./deployment.ts";

const answer = { ok: true, status: 200, headers: new Headers() } as const;

/** An account with deployments, and a reader that records its requests. */
class Account {
  rows: Deployment[] = [];
  requests: string[] = [];
  readonly read = activityReader({
    latest: () => {
      this.requests.push("latest");
      const value = { deployments: this.rows.slice(0, 3), next_cursor: null };
      return Promise.resolve({ ...answer, value });
    },
    all: (wanted) => {
      this.requests.push(wanted);
      return Promise.resolve({ ...answer, value: this.rows.filter(({ status }) => status === wanted) });
    },
  });

  /** Reads once. @returns the requests, and the versions that are live and building */
  async next() {
    this.requests = [];
    const read = await this.read();
    const versionsOf = (rows: readonly Deployment[]) => rows.map(({ version }) => version);
    if (!read.ok) throw new Error(read.problem.detail);
    return {
      requests: this.requests,
      live: versionsOf(read.value.live),
      building: versionsOf(read.value.building),
    };
  }
}

const all = ["latest", "live", "building"];

describe("the activity of all projects", () => {
  it("takes one request per poll while no deployment is building", async () => {
    const account = new Account();
    account.rows = [deployment(1, "live")];
    for (let round = 0; round < 2; round += 1)
      expect(await account.next()).toEqual({ requests: all, live: [1], building: [] });
    for (let round = 0; round < 3; round += 1)
      expect(await account.next()).toEqual({ requests: ["latest"], live: [1], building: [] });
  });

  it("takes all requests while a deployment is building, and until its outcome is known", async () => {
    const account = new Account();
    const first = deployment(1, "live");
    account.rows = [first];
    for (let round = 0; round < 3; round += 1) await account.next();
    const second = deployment(2, "building");
    account.rows = [second, first];
    for (let round = 0; round < 3; round += 1)
      expect(await account.next()).toEqual({ requests: all, live: [1], building: [2] });
    account.rows = [
      { ...second, status: "live" },
      { ...first, status: "superseded" },
    ];
    for (let round = 0; round < 2; round += 1)
      expect(await account.next()).toEqual({ requests: all, live: [2], building: [] });
    expect(await account.next()).toEqual({ requests: ["latest"], live: [2], building: [] });
  });
});
