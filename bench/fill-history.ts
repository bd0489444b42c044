import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import * as z from "zod/mini";

import { initialSettings } from "#contract/endpoints/projects/project-settings.ts";
import { createIdGenerator, HookId, ProjectId } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import { hashOfToken, newToken, renderStatement } from "../scripts/shared/first-token.ts";
import { persistencePath } from "../scripts/shared/local-database.ts";
import { databasesIn } from "../test/support/faults/stored.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = DAY_MS / 24;

const PROJECTS = 1_000;
/** The project of every second row. The others share the rest. */
export const BUSY = projectAt(0);
export const QUIET = projectAt(500);
export const HOOK = HookId.parse(`hook_${"0".repeat(26)}`);

/** An event in so many milliseconds: ten million in a little less than the 90 days for which events are kept. */
const EVENT_EVERY_MS = 760;
/** Of each event table, so many rows are older than that. */
const EXPIRED = 1_000;
/** So many entries of the audit log are not sealed yet. */
const UNSEALED = 500;
/** A project keeps about so many revisions of its variables, and commands. */
const KEPT = 100;

/** What a lane, a server and a project report, in the order in which they come. */
const types = [
  "deployment.started",
  "deployment.building",
  "deployment.superseded",
  "deployment.live",
  "deployment.started",
  "deployment.building",
  "deployment.failed",
  "variables.updated",
  "project.updated",
  "server.healthy",
];

export type Filled = {
  /** Sees everything. */
  readonly token: string;
  /** Is limited to the quiet project. */
  readonly limited: string;
  /** The size of the database, and what the events with their indexes take of it. */
  readonly bytes: { readonly all: number; readonly events: number };
};

const ids = createIdGenerator({ now: () => Date.now(), randomBytes });

/**
 * Fills a migrated database that no Worker has open with an account of 1,000 projects: this many events, and for each
 * ten of them a deployment, an entry of the audit log and a push. The newest rows of databases of different sizes are
 * equally far apart, so a larger one has only a longer history.
 */
export function fillHistory(state: string, events: number): Filled {
  const [path] = databasesIn(join(persistencePath(state), "d1/miniflare-D1DatabaseObject"));
  if (path === undefined) throw new Error(`there is no database in ${state}`);
  const database = new DatabaseSync(path);
  try {
    // Nothing else has the database open, and a failed run begins again with another one.
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
    return fill(database, events);
  } finally {
    database.close();
  }
}

function fill(database: DatabaseSync, events: number): Filled {
  const now = Date.now();
  const { token, accountId, statements } = newToken({ name: "History" }, "bench", now);
  const limited = formToken(randomTokenCharacters(randomBytes));
  const serverId = ids.server();
  const tenth = events / 10;
  const actor = `'{"type":"token","id":"tok_seed","name":"CI of shop"}'`;
  const rows = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const id = (prefix: string) => `'${prefix}_' || printf('%026d', i)`;
  const project = `CASE WHEN i % 2 THEN '${BUSY}' ELSE 'proj_' || printf('%026d', 1 + (i / 2) % ${PROJECTS - 1}) END`;
  const at = (count: number, everyMs: number, keptDays: number) =>
    `CASE WHEN i <= ${EXPIRED} THEN ${now - (keptDays + 1) * DAY_MS} + i ELSE ${now} - (${count} - i) * ${everyMs} END`;
  const sha = "printf('%040x', i * 1000003)";
  const type = `CASE (i / 2) % ${types.length} ${types.map((name, index) => `WHEN ${index} THEN '${name}'`).join(" ")} END`;
  const owner = `'${accountId}', ${project}`;
  const run = (sql: string) => database.exec(sql);

  const indexed = withoutIndexes(database, ["deployments", "audit_entries", "pushes"]);
  run("BEGIN");
  for (const statement of statements) run(renderStatement(statement));
  run(`INSERT INTO tokens (id, account_id, name, hash, scopes, project_ids, created_at, expires_at)
    SELECT '${ids.token()}', account_id, 'limited', '${hashOfToken(limited)}', scopes, '["${QUIET}"]', created_at, expires_at FROM tokens`);
  run(
    `INSERT INTO servers (id, account_id, name, ip, created_at, connected_ms_by_day) VALUES ('${serverId}', '${accountId}', 'web-1', '192.0.2.1', ${now}, '{}')`,
  );
  run(`${rows(PROJECTS)} INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch,
      settings, created_at)
    SELECT 'proj_' || printf('%026d', i - 1), '${accountId}', '${serverId}', 'site-' || i, 'site-' || i || '.test', 'https://git.test/site-' || i || '.git',
      'git.test/site-' || i, 'main', '${JSON.stringify(initialSettings)}', ${now} FROM n`);
  run(`INSERT INTO hooks (id, account_id, forge, repository, repository_key, secret, created_at)
    VALUES ('${HOOK}', '${accountId}', 'gitea', 'https://git.test/site-1.git', 'git.test/site-1', 's', ${now})`);
  // Each project has its deployments in the order of their versions, and none of them runs.
  run(`${rows(tenth)} INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, status, stage, waits_for_server, branch,
      commit_sha, commit_message, "trigger", actor, created_at, started_at, finished_at, release, release_kept, revision)
    SELECT ${id("dpl")}, ${owner}, '${serverId}', i, 'deploy', CASE (i / 2) % 3 WHEN 1 THEN 'failed' ELSE 'superseded' END, NULL, 0,
      CASE (i / 2) % 5 WHEN 3 THEN 'next' ELSE 'main' END, ${sha}, 'Show the table of contents beside the text', 'api', ${actor},
      ${now} - (${tenth} - i) * ${EVENT_EVERY_MS * 10}, ${now}, ${now}, CASE (i / 2) % 3 WHEN 1 THEN NULL ELSE i END, 0, 1 FROM n`);
  run(`${rows(tenth)} INSERT INTO audit_entries (id, account_id, project_id, sequence, created_at, actor, ip, request_id, action, outcome, target)
    SELECT ${id("aud")}, ${owner}, i, ${at(tenth, EVENT_EVERY_MS * 10, 400)}, ${actor}, '192.0.2.7', 'req_' || printf('%026d', i),
      CASE (i / 2) % 4 WHEN 1 THEN 'updateVariables' ELSE 'startDeployment' END, CASE (i / 2) % 9 WHEN 1 THEN 'refused' ELSE 'done' END,
      json_object('type', 'project', 'id', ${project}, 'name', 'site') FROM n`);
  run(`INSERT INTO audit_seals (id, account_id, number, first_entry, last_entry, hash, sealed_at, entries_hash)
    VALUES ('${accountId}-1', '${accountId}', 1, 1, ${tenth - UNSEALED}, 'h', ${now - HOUR_MS}, 'h')`);
  run(`${rows(tenth)} INSERT INTO pushes (id, account_id, hook_id, project_id, source, received_at, ref, before, after, body_hash, decision,
      reason, live_sha, count)
    SELECT ${id("push")}, '${accountId}', CASE WHEN i % 2 THEN '${HOOK}' END, ${project}, 'hook', ${at(tenth, EVENT_EVERY_MS * 10, 90)},
      'refs/heads/main', ${sha}, ${sha}, printf('%064x', i), 'ignored', 'branch_not_watched', ${sha}, 1 FROM n`);
  run(`${rows(PROJECTS * KEPT)} INSERT INTO variable_revisions (id, account_id, project_id, revision, changed_at, changed_by, set_names, removed_names)
    SELECT p || '/' || revision, '${accountId}', p, revision, ${now}, ${actor}, '["SETTING"]', '[]'
    FROM (SELECT 'proj_' || printf('%026d', (i - 1) / ${KEPT}) AS p, 1 + (i - 1) % ${KEPT} AS revision FROM n)`);
  run(`INSERT INTO variables (id, account_id, project_id, name, revision, until, changed_at, changed_by, secret, build, value)
    SELECT project_id || '/SETTING/' || revision, account_id, project_id, 'SETTING', revision, CASE WHEN revision < ${KEPT} THEN revision + 1 END,
      changed_at, changed_by, 0, 0, 'value ' || revision FROM variable_revisions`);
  run(`INSERT INTO commands (id, account_id, project_id, command, timeout_seconds, actor, created_at)
    SELECT 'cmd_' || printf('%026d', row_number() OVER ()), account_id, project_id, 'true', 60, changed_by, ${now} FROM variable_revisions`);
  // All rounds of the schedule ended before: the hourly ones are due, and what happened since then is little.
  const round = JSON.stringify({
    startedAt: now - 25 * HOUR_MS,
    since: now - HOUR_MS,
    failures: 1,
    next: null,
  });
  for (const part of [
    "seal audit logs",
    "announce events",
    "remove expired rows",
    "repair lanes",
    "sweep logs",
    "remove old deployments",
  ])
    run(`INSERT INTO sweeps (name, position) VALUES ('${part}', '${round}')`);
  indexed();
  run("COMMIT");
  const before = sizeOf(database);

  const eventsIndexed = withoutIndexes(database, ["events"]);
  run("BEGIN");
  run(`${rows(events)} INSERT INTO events (id, account_id, project_id, sequence, type, actor, data, created_at)
    SELECT ${id("evt")}, '${accountId}', CASE WHEN type LIKE 'server%' THEN NULL ELSE project END, i, type, ${actor},
      '{"project":{"id":"' || project || ${DATA}, at
    FROM (SELECT i, ${project} AS project, ${type} AS type, ${at(events, EVENT_EVERY_MS, 90)} AS at FROM n)`);
  eventsIndexed();
  run("COMMIT");
  const all = sizeOf(database);
  return { token, limited, bytes: { all, events: all - before } };
}

/** The rest of an event's data, as long as it is for a deployment. */
const DATA = `'","name":"site","repository":"git@git.test:acme/site.git","url":"https://site.test"},${JSON.stringify(
  {
    deployment: {
      id: "dpl_01kaf4s2b9erj8tqv0cw6nz3yh",
      server_id: "srv_01kaf3n7f2a9c4x6y0zt5dwr8v",
      ...{ version: 1841, kind: "deploy", rollback_of: null, status: "live", stage: null, duration: 6_120 },
      ...{ branch: "main", commit_sha: "8f4e2c1a".repeat(5), commit_message: "Show the table of contents" },
      ...{
        trigger: "api",
        actor: { type: "token", id: "tok_01kaf3n0a1f8c7y5j6zt4dwr9v", name: "CI of shop" },
      },
      ...{ created_at: "2026-11-20T09:14:36.010Z", started_at: "2026-11-20T09:14:36.042Z" },
      ...{ finished_at: "2026-11-20T09:14:44.155Z", failure: null, hold: null },
      ...{ variables_revision: 4, approved_by: null, pushed_sha: null },
    },
    replaced_by: null,
  },
).slice(1)}'`;

function projectAt(number: number): ProjectId {
  return ProjectId.parse(`proj_${String(number).padStart(26, "0")}`);
}

const Index = z.object({ name: z.string(), sql: z.string() });

/** Drops the indexes of empty tables. @returns makes them again: at the end that takes a fraction of the time */
function withoutIndexes(database: DatabaseSync, tables: readonly string[]): () => void {
  const find = database.prepare(
    "SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND type = 'index' AND sql IS NOT NULL",
  );
  const indexes = tables.flatMap((table) => z.array(Index).parse(find.all(table)));
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  return () => indexes.forEach(({ sql }) => database.exec(sql));
}

function sizeOf(database: DatabaseSync): number {
  const of = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return of("page_count") * of("page_size");
}
