import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { Hook } from "#contract/endpoints/hooks/schemas.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findFleetContent } from "#worker/db/servers/fleet-rows.ts";
import { findTraffic } from "#worker/db/servers/server-traffic.ts";
import { findProjectsOf } from "#worker/db/pushes/find-pushed-projects.ts";
import { findRunVariables } from "#worker/db/variables/run-variables.ts";
import { type TestAccount, createAccount, ids } from "../../../support/worker/account.ts";
import { call } from "../../../support/worker/call.ts";
import { rowsReadFor, statementsOf } from "../../../support/worker/rows-read.ts";

/** So many that a statement that reads all of them is obvious in the counts. */
const HISTORY = 3_000;

let account: TestAccount;
let projectId: ProjectId;

/** A project with a long history: the first deployment is live, the second to last is running, the last is queued. */
beforeEach(async () => {
  account = await createAccount();
  projectId = ids.project();
  const serverId = ids.server();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO servers (id, account_id, name, ip, created_at, connected_ms_by_day) VALUES (?, ?, 'web-1', '192.0.2.1', 0, '{}')",
    ).bind(serverId, account.id),
    env.DB.prepare(
      `INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at,
         serving_checked_at)
       VALUES (?, ?, ?, 'shop', 'shop.test', '/srv/git/shop.git', '/srv/git/shop.git', 'main', '{}', 0, 1)`,
    ).bind(projectId, account.id, serverId),
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${HISTORY})
       INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, status, stage, waits_for_server,
         branch, "trigger", actor, created_at, release, release_kept, revision)
       SELECT 'dpl_' || printf('%026d', i), ?, ?, ?, i, 'deploy',
         CASE WHEN i = 1 THEN 'live' WHEN i < ${HISTORY - 1} THEN 'failed' ELSE 'building' END,
         CASE i WHEN ${HISTORY - 1} THEN 'build' WHEN ${HISTORY} THEN 'queued' END,
         0, 'main', 'api', '{"type":"token","id":"tok_seed","name":"CI"}', i, CASE i WHEN 1 THEN 1 END, 0, 1 FROM n`,
    ).bind(account.id, projectId, serverId),
  ]);
});

async function readingOf(path: string): Promise<number> {
  const { token } = account;
  return await rowsReadFor(async () => expect((await call(path, { token })).status).toBe(200));
}

describe("the rows read for a project with a long history", () => {
  it.each([
    "/v1/deployments?status=live",
    "/v1/deployments?status=building",
    "/v1/deployments?status=building&limit=1",
    "/v1/deployments?status=live,building",
    "/v1/deployments?limit=5",
  ])("is little more than what is shown for %s", async (path) => {
    expect(await readingOf(path)).toBeLessThan(50);
  });

  it.each(["live", "building"])("do not grow for its own list of %s deployments", async (status) => {
    expect(await readingOf(`/v1/deployments?project_id=${projectId}&status=${status}`)).toBeLessThan(50);
    expect(await readingOf(`/v1/projects/${projectId}/deployments?status=${status}`)).toBeLessThan(50);
  });

  it.each([null, 1, 2])("do not grow for a project whose server serves release %s", async (release) => {
    await env.DB.prepare("UPDATE projects SET serving_release = ?").bind(release).run();
    expect(await readingOf(`/v1/projects/${projectId}`)).toBeLessThan(50);
  });

  it("do not grow on later pages", async () => {
    const path = "/v1/deployments?status=live,building&limit=1";
    const first = await call(path, { token: account.token });
    const { next_cursor } = Deployments.parse(await first.json());
    expect(await readingOf(`${path}&cursor=${next_cursor}`)).toBeLessThan(50);
  });
});

describe("the rows read for a project whose variables have changed often", () => {
  const REVISIONS = 2_000;

  it.each([REVISIONS, REVISIONS - 10])("do not grow for an order with revision %s", async (revision) => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REVISIONS})
       INSERT INTO variables (id, account_id, project_id, name, revision, until, changed_at, changed_by, secret, build, value)
       SELECT 'A/' || i, ?, ?, 'A', i, CASE WHEN i < ${REVISIONS} THEN i + 1 END, 0, '{}', 0, 0, i FROM n`,
    )
      .bind(account.id, projectId)
      .run();
    const rows = new AccountRows(env.DB, account.id);
    const read = await rowsReadFor(async () => {
      const serverId = ids.server();
      const at = { revision, deployed: false };
      const found = await findRunVariables(rows, projectId, [serverId], at, "");
      expect(found.get(serverId)?.plain).toEqual([{ name: "A", value: `${revision}` }]);
    });
    expect(read).toBeLessThan(50);
    expect(await readingOf(`/v1/projects/${projectId}/variables`)).toBeLessThan(50);
  });
});

describe("the rows read for many servers with many projects", () => {
  it("do not include all projects for each server", async () => {
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO servers (id, account_id, name, ip, created_at, connected_ms_by_day)
         SELECT 'srv_' || printf('%026d', i), ?, 'web ' || i, '192.0.2.1', 0, '{}' FROM n`,
      ).bind(account.id),
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
         SELECT 'proj_' || printf('%026d', i), account_id, 'srv_' || printf('%026d', i), 'site ' || i, 'site' || i || '.test',
           repository, repository_key, branch, settings, 0 FROM n, projects WHERE name = 'shop'`,
      ),
    ]);
    expect(await readingOf("/v1/servers")).toBeLessThan(500);
  });

  it("are only its own row for a server that connects and has its projects alone", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
       INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
       SELECT 'proj_' || printf('%026d', i), account_id, server_id, 'site ' || i, 'site' || i || '.test',
         repository, repository_key, branch, '{"entry":{"type":"each"}}', 0 FROM n, projects WHERE name = 'shop'`,
    ).run();
    const server = await env.DB.prepare("SELECT server_id AS id FROM projects LIMIT 1").first<{
      id: string;
    }>();
    const serverId = ServerId.parse(server?.id);
    const rows = new AccountRows(env.DB, account.id);
    /** Of the statement that says whether the server must know of others. */
    const reading = async (isShared: boolean) => {
      const statements = await statementsOf(async () =>
        expect((await findTraffic(rows, serverId)).isShared).toBe(isShared),
      );
      return statements.find(({ text }) => text.includes('from "servers"'))?.rows;
    };
    expect(await reading(false)).toBe(1);
    await env.DB.prepare(
      `UPDATE projects SET settings = '{"entry":{"type":"own","balancers":[],"sticky":false}}' WHERE name = 'site 7'`,
    ).run();
    expect(await reading(true)).toBeLessThan(10);
    const read = await rowsReadFor(async () => {
      expect((await findFleetContent(rows, serverId)).serves).toMatchObject([{ entry: "own" }]);
    });
    expect(read).toBeLessThan(10);
  });
});

describe("the rows read for many hooks with many projects", () => {
  const MANY = 100;

  async function addProjects(): Promise<void> {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
       INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
       SELECT 'proj_' || printf('%026d', i), account_id, server_id, 'site ' || i, 'site' || i || '.test',
         'https://git.test/site-' || i || '.git', 'git.test/site-' || i, branch, settings, 0 FROM n, projects WHERE name = 'shop'`,
    ).run();
  }

  it("do not include all projects for each hook", async () => {
    await addProjects();
    await env.DB.prepare(
      `INSERT INTO hooks (id, account_id, forge, repository, repository_key, secret, created_at)
       SELECT 'hook_' || substr(id, 6), account_id, 'gitea', repository, repository_key, 'secret', 0 FROM projects
       WHERE repository_key IS NOT NULL`,
    ).run();
    expect(await readingOf("/v1/hooks")).toBeLessThan(500);
    const hook = `/v1/hooks/hook_${"1".padStart(26, "0")}`;
    expect(await readingOf(hook)).toBeLessThan(20);
    const shown = Hook.parse(await (await call(hook, { token: account.token })).json());
    expect(shown.project_ids).toEqual([`proj_${"1".padStart(26, "0")}`]);
  });

  it("do not include all projects for a push", async () => {
    await addProjects();
    const rows = new AccountRows(env.DB, account.id);
    const read = await rowsReadFor(async () => {
      const found = await findProjectsOf(rows, "git.test/site-7", {
        hookId: null,
        bodyHash: null,
        pushes: [],
      });
      expect(found.map(({ project }) => project.name)).toEqual(["site 7"]);
    });
    expect(read).toBeLessThan(50);
  });
});
