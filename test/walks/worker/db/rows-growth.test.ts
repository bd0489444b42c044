import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { readEventsBetween } from "#worker/db/events/event-records.ts";
import { createToken, ids, type TestAccount } from "../../../support/worker/account.ts";
import { call } from "../../../support/worker/call.ts";
import { fillHistory, SEED_MEMBER } from "../../../support/worker/fill-tables.ts";
import { statementsOf } from "../../../support/worker/rows-read.ts";
import { runDueIn, runScheduleIn } from "../../../support/worker/schedule.ts";
import { share } from "../../../support/worker/storage.ts";
import { succeedingRequest } from "../../../support/worker/succeeding-requests.ts";
import { operationNames, senderOf, type World } from "../../../support/worker/world.ts";
import { copyWorld } from "../../../support/worker/world-copy.ts";

/** How many rows each table has, of the project of the request, and of another project of the account. */
const SIZE = 2_000;
/** What a statement may read of them. A page of most lists has 51 rows, and reads two or three for each. */
const MOST_ROWS = 300;
/** These read more, but not more than this. A deletion deletes 500 rows of a table at once. */
const moreRows: Partial<Record<OperationName, number>> = { deleteProject: 2_100 };
/** What a page of a list of deployments may read: up to five rows for each of 51, and of each project. */
const MOST_OF_PAGE = 600;
/** An export reads 1,000 entries in a statement. */
const MOST_OF_EXPORT = 5_000;

/** The statements that read more than they may, with how many rows. */
async function excessive(act: () => Promise<unknown>, most = MOST_ROWS): Promise<string[]> {
  const statements = await statementsOf(act);
  return statements.filter(({ rows }) => rows > most).map(({ rows, text }) => `${rows} rows: ${text}`);
}

/** A world whose account has a long history, of its project and of another one. */
async function oldWorld(size = SIZE): Promise<World & { readonly otherId: ProjectId }> {
  const world = await copyWorld();
  const { account, serverId, hookId } = world;
  const otherId = ids.project();
  await env.DB.prepare(
    `INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
     SELECT ?, account_id, server_id, 'other', 'other.test', 'https://git.test/other.git', 'git.test/other', branch, settings, 0 FROM projects WHERE id = ?`,
  )
    .bind(otherId, world.projectId)
    .run();
  const shared = { accountId: account.id, serverId, size };
  await fillHistory({ ...shared, projectId: world.projectId, hookId, seed: 1 });
  await fillHistory({ ...shared, projectId: otherId, hookId: null, seed: 2 });
  return { ...world, otherId };
}

describe("the rows that a statement reads do not grow with the history of an account", () => {
  it.each(operationNames)("for %s", async (name: OperationName) => {
    const world = await oldWorld();
    const { method } = endpoints[name];
    const { path, body, token, headers = {} } = await succeedingRequest(name, world);
    const found = await excessive(async () => {
      const response = await call(path, { method, token: token ?? senderOf(name, world), body, headers });
      expect(response.status, name).toBeLessThan(300);
      // What follows from the request, in lanes, links and feeds.
      await scheduler.wait(100);
    }, moreRows[name]);
    expect(found).toEqual([]);
  });

  it("for a request with an Idempotency-Key", async () => {
    const { account, projectId } = await oldWorld();
    const found = await excessive(async () => {
      const headers = { "idempotency-key": "one" };
      const path = `/v1/projects/${projectId}/deployments`;
      const response = await call(path, { method: "POST", token: account.token, body: {}, headers });
      expect(response.status).toBe(201);
    });
    expect(found).toEqual([]);
  });

  it("for the repair of a lane", async () => {
    const { account, projectId } = await oldWorld();
    await env.DB.prepare(
      "UPDATE deployments SET status = 'building' WHERE project_id = ? AND version IN (1002, 1004)",
    )
      .bind(projectId)
      .run();
    const owner = { accountId: account.id, projectId };
    const found = await excessive(async () => {
      expect(await env.PROJECT_LANE.getByName(projectId).repair(owner)).toBe(true);
    });
    expect(found).toEqual([]);
    const { results } = await env.DB.prepare(
      "SELECT id FROM deployments WHERE status = 'building' AND version > 1000",
    ).all();
    expect(results).toEqual([]);
  });

  // It looks at a batch of 1,000 expired rows in each table, and at the rows that make them the newest.
  it("for the schedule", async () => {
    await oldWorld(5_000);
    // The first run announces all events, and deletes expired rows.
    await runScheduleIn(0);
    expect(await excessive(async () => await runDueIn(0.5), 4_500)).toEqual([]);
  });
});

const none = "0123456789";
const matching = {
  "of all projects": "",
  "with a status that none has": "status=canceled",
  "with two statuses that none has": "status=canceled,live",
  "with a status that half have": "status=failed",
  "with a status that the others have": "status=superseded",
  "with each status": "status=superseded,failed,canceled,building,live",
  "with a branch that none has": "branch=none",
  "with a branch that all have": "branch=main",
  "with a branch and a status": "branch=main&status=failed",
  "with a commit that none has": `commit=${none}`,
  "with the commit of one deployment": `commit=${(1_000_003).toString(16).padStart(40, "0")}`,
} as const;

describe("the rows that a list reads do not grow with its length", () => {
  /** Of each project. The account has twice as many rows of each kind. */
  const LENGTH = 50_000;

  // The tests only read, and writing the lists takes longer than reading them.
  const longLists = share(async () => {
    const world = await oldWorld(LENGTH);
    const { account, projectId } = world;
    const limited = await createToken(account.id, { projectIds: [projectId] });
    const empty = await createToken(account.id, { projectIds: [ids.project()] });
    const tokens = { unlimited: account.token, limited: limited.secret, "limited to another": empty.secret };
    return { ...world, tokens };
  });

  async function readAll(paths: readonly string[], tokens: Readonly<Record<string, TestAccount["token"]>>) {
    const found: string[] = [];
    for (const path of paths)
      for (const [kind, token] of Object.entries(tokens)) {
        let next: string | null = path;
        // The first two pages.
        for (let page = 0; page < 2 && next !== null; page += 1) {
          const url: string = next;
          let link: string | null = null;
          const more = await excessive(async () => {
            const response = await call(url, { token });
            if (![200, 403, 404].includes(response.status)) throw new Error(`${url}: ${response.status}`);
            link = /<[^>]*?(\/v1\/[^>]*)>/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
          }, MOST_OF_PAGE);
          found.push(...more.map((text) => `${url} ${kind} ${text}`));
          next = link;
        }
      }
    return found;
  }

  it("for deployments, with each filter", async () => {
    const { tokens, projectId, otherId, serverId } = longLists();
    const others = [`server_id=${ids.server()}`, `server_id=${serverId}`];
    const paths = [...Object.values(matching), ...others].flatMap((query) => [
      `/v1/deployments?${query}`,
      `/v1/deployments?project_id=${projectId}&${query}`,
      ...(query.startsWith("server_id") ? [] : [`/v1/projects/${otherId}/deployments?${query}`]),
    ]);
    expect(await readAll(paths, tokens)).toEqual([]);
  });

  it("for 100,000 events, with each filter", async () => {
    const { tokens, projectId } = longLists();
    const projects = ["", `project_id=${projectId}`, `project_id=${ids.project()}`];
    const types = [
      "",
      "type=deployment.started",
      "type=deployment.*",
      "type=token.*",
      "type=token.*,server.*",
    ];
    const paths = projects.flatMap((project) => types.map((type) => `/v1/events?${project}&${type}`));
    expect(await readAll(paths, tokens)).toEqual([]);
  });

  it.each([
    { name: "all", types: undefined, ofProject: false, found: 100 },
    { name: "events of a type that all have", types: ["deployment.started"], ofProject: false, found: 100 },
    {
      name: "events of types that none has",
      types: ["token.created", "token.rotated"],
      ofProject: false,
      found: 0,
    },
    { name: "events of a project", types: undefined, ofProject: true, found: 100 },
    {
      name: "events of a project, of a type that none has",
      types: ["token.created"],
      ofProject: true,
      found: 0,
    },
  ] as const)(
    "for a stream that lacks 100,000 events and follows $name",
    async ({ types, ofProject, found }) => {
      const { account, projectId } = longLists();
      const filter = { types, projectId: ofProject ? projectId : undefined };
      const range = { after: 0, until: 100_000 };
      for (const limit of [null, [projectId]]) {
        const rows = new AccountRows(env.DB, account.id, limit);
        const sequences: number[] = [];
        const more = await excessive(async () => {
          const events = await readEventsBetween(rows, filter, range, 100);
          sequences.push(...events.map(({ sequence }) => sequence));
        }, MOST_OF_PAGE);
        expect(more).toEqual([]);
        expect(sequences).toHaveLength(found);
        expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
      }
    },
  );

  it("for 100,000 entries of the audit log, with each filter", async () => {
    const { tokens, projectId, otherId } = longLists();
    const filters = [
      "action=none",
      "action=startDeployment",
      "outcome=refused",
      "outcome=done",
      "actor_id=none",
      "actor_id=tok_seed",
      `actor_id=${ids.member()}`,
      `actor_id=${SEED_MEMBER}`,
      "target_id=none",
      `target_id=${projectId}`,
    ];
    const projects = [projectId, otherId, ids.project()];
    const queries = [
      "",
      ...filters,
      "action=startDeployment&target_id=none",
      ...projects.flatMap((id) => ["", ...filters].map((filter) => `project_id=${id}&${filter}`)),
    ];
    const paths = queries.map((query) => `/v1/audit?${query}`);
    expect(await readAll(paths, tokens)).toEqual([]);
  });

  it("for the first entries of an export of 100,000, with each filter", async () => {
    const { tokens, projectId, otherId } = longLists();
    const filters = [
      "action=none",
      "outcome=refused",
      "actor_id=none",
      `actor_id=${ids.member()}`,
      "target_id=none",
    ];
    const queries = [
      ...filters,
      ...[projectId, otherId].flatMap((id) => [`target_id=${id}`, `project_id=${id}`]),
      ...filters.map((filter) => `project_id=${projectId}&${filter}`),
      `project_id=${projectId}&target_id=${otherId}`,
    ];
    const found: string[] = [];
    for (const [kind, token] of Object.entries(tokens))
      for (const query of ["", ...queries]) {
        const headers = { accept: "application/x-ndjson" };
        const more = await excessive(async () => {
          const response = await call(`/v1/audit?${query}`, { token, headers });
          // Its statement has ended when the first part comes. Parts that are not read are not queried.
          const reader = response.body?.getReader();
          await reader?.read();
          await reader?.cancel();
        }, MOST_OF_EXPORT);
        found.push(...more.map((text) => `${query} ${kind} ${text}`));
      }
    expect(found).toEqual([]);
  });

  it("for each part of an export of 100,000 entries", async () => {
    const { tokens, projectId } = longLists();
    const headers = { accept: "application/x-ndjson" };
    for (const token of [tokens.unlimited, tokens.limited]) {
      let count = 0;
      const statements = await statementsOf(async () => {
        const response = await call(`/v1/audit?project_id=${projectId}`, { token, headers });
        for (const line of (await response.text()).split("\n")) count += line === "" ? 0 : 1;
      });
      expect(count).toBeGreaterThanOrEqual(50_000);
      expect(statements.filter(({ rows }) => rows > MOST_OF_EXPORT)).toEqual([]);
      // A thousand entries in a statement, and the reads of the token.
      expect(statements.length).toBeLessThan(60);
    }
  });

  it("for pushes, commands and revisions", async () => {
    const { tokens, projectId, hookId } = longLists();
    const paths = [
      `/v1/hooks/${hookId}/pushes`,
      `/v1/projects/${projectId}/pushes`,
      `/v1/projects/${projectId}/variables/revisions`,
      "/v1/tokens?limit=10",
    ];
    expect(await readAll(paths, tokens)).toEqual([]);
  });
});
