import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import * as z from "zod";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import { ProjectId } from "#contract/ids.ts";
import { type ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { countRoundTrips } from "../../support/worker/round-trips.ts";
import { databasePrototypes } from "../../support/worker/statements.ts";

const APPS = 20;

const Written = z.array(z.object({ meta: z.object({ rows_written: z.number() }) }));

const app: NonNullable<ProjectReport["processes"]>[number] = {
  name: "web",
  command: "node server.js",
  port: true,
  wanted: 2,
  stopped: false,
  instances: [0, 1].map((number) => ({
    name: `web-1-${number}`,
    state: "live",
    started_at: "2026-11-20T09:14:43.090Z",
    restarts: 0,
    memory_bytes: 83_886_080 + number,
    cpu_percent: 1.5,
    last_exit: null,
    last_output: null,
  })),
};

/** A connected server with projects that have each a release. */
async function createApps(): Promise<{ agent: ConnectedAgent; projectIds: ProjectId[] }> {
  const { token } = await createAccount();
  const agent = await enrolAgent(token);
  const projectIds: ProjectId[] = [];
  for (let number = 0; number < APPS; number += 1) {
    const body = { name: `app ${number}`, server_id: agent.serverId, repository: "/srv/git/shop.git" };
    const created = await call("/v1/projects", { method: "POST", token, body });
    projectIds.push(z.object({ id: ProjectId }).parse(await created.json()).id);
  }
  await agent.connect();
  await agent.receives("welcome");
  return { agent, projectIds };
}

it("costs no more for a server with apps than for one whose projects run nothing", async () => {
  const { agent, projectIds } = await createApps();
  const checkedAt = async () =>
    await env.DB.prepare("SELECT min(serving_checked_at) AS least FROM projects").first<number>("least");
  let rowsWritten = 0;
  for (const prototype of databasePrototypes())
    aroundCalls(prototype, "batch", async (batch) => {
      const results = await batch();
      for (const { meta } of Written.parse(results)) rowsWritten += meta.rows_written;
      return results;
    });
  const costOf = async (running: Pick<ProjectReport, "processes">) => {
    const before = (await checkedAt()) ?? 0;
    rowsWritten = 0;
    const trips = await countRoundTrips(async () => {
      agent.status(
        projectIds.map((project_id) => ({ project_id, release: 1, releases: [1], url: null, ...running })),
      );
      await vi.waitFor(async () => expect(await checkedAt()).toBeGreaterThan(before));
    });
    return { rowsWritten, lane: trips.lane };
  };
  const without = await costOf({});
  expect(without.lane).toBe(0);
  expect(await costOf({ processes: [app] })).toEqual(without);
  const { results } = await env.DB.prepare("SELECT reported_processes FROM projects").all();
  expect(results).toHaveLength(APPS);
  expect(String(results[0]?.["reported_processes"])).toContain("web-1-1");
});
