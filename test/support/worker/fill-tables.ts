import { env } from "cloudflare:workers";

import type { AccountId, HookId, ProjectId } from "#contract/ids.ts";

const SHA = "printf('%040x', i * 1000003)";
const TOKEN = `'{"type":"token","id":"tok_seed","name":"CI"}'`;
/** The member who has caused all events and entries. */
export const SEED_MEMBER = `mem_${"0".repeat(26)}`;
const MEMBER = `json_object('id', '${SEED_MEMBER}', 'name', 'Ada')`;
const ACTOR = `json_object('type', 'token', 'id', 'tok_seed', 'name', 'Ada', 'member', ${MEMBER})`;
const MONTH_AGO = Date.now() - 30 * 24 * 60 * 60 * 1000;

export type Filled = {
  readonly accountId: AccountId;
  readonly serverId: string;
  readonly projectId: ProjectId;
  readonly hookId: HookId | null;
  /** How many rows each table gets. */
  readonly size: number;
  /** Makes the ids of the rows unique. */
  readonly seed: number;
};

/** Of these, a project keeps about 100. */
const MAX_KEPT = 150;

/** Gives a project a long history in each table: in SQL, so that it takes little time. Nothing of it is live or running. */
export async function fillHistory(filled: Filled): Promise<void> {
  const { accountId, serverId, projectId, hookId, size, seed } = filled;
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size})`;
  const id = (prefix: string) => `'${prefix}_' || printf('%02d%024d', ${seed}, i)`;
  const next = (table: string) =>
    `(SELECT coalesce(max(sequence), 0) FROM ${table} WHERE account_id = '${accountId}') + i`;
  const owner = `'${accountId}', '${projectId}'`;
  const statements = [
    `INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, status, stage, waits_for_server, branch,
       commit_sha, "trigger", actor, created_at, finished_at, release, release_kept, variables_revision, revision)
     SELECT ${id("dpl")}, ${owner}, '${serverId}', 1000 + i, 'deploy', CASE WHEN i % 2 THEN 'failed' ELSE 'superseded' END,
       NULL, 0, 'main', ${SHA}, 'api', ${TOKEN}, i, i, CASE WHEN i % 2 THEN NULL ELSE i END, 0, NULL, 1 FROM n`,
    `INSERT INTO events (id, account_id, project_id, sequence, type, actor, data, created_at)
     SELECT ${id("evt")}, ${owner}, ${next("events")}, 'deployment.started', ${ACTOR}, '{}', ${MONTH_AGO} - i FROM n`,
    `INSERT INTO audit_entries (id, account_id, project_id, sequence, created_at, actor, action, outcome, target)
     SELECT ${id("aud")}, ${owner}, ${next("audit_entries")}, ${MONTH_AGO} - i, ${ACTOR}, 'startDeployment', 'done',
       json_object('type', 'project', 'id', '${projectId}', 'name', 'shop') FROM n`,
    `INSERT INTO pushes (id, account_id, hook_id, project_id, source, received_at, ref, before, after, body_hash, decision,
       reason, live_sha, count)
     SELECT ${id("push")}, '${accountId}', ${hookId === null ? "NULL" : `'${hookId}'`}, '${projectId}', 'hook', ${MONTH_AGO} - i,
       'refs/heads/main', ${SHA}, ${SHA}, printf('%064x', i), 'ignored', 'branch_not_watched', ${SHA}, 1 FROM n`,
    `INSERT INTO idempotency_keys (id, account_id, fingerprint, seed, created_at)
     SELECT printf('%02d%062x', ${seed}, i), '${accountId}', 'f', 's', ${MONTH_AGO} FROM n`,
    `INSERT INTO commands (id, account_id, project_id, command, timeout_seconds, actor, created_at)
     SELECT ${id("cmd")}, ${owner}, 'true', 60, ${TOKEN}, i FROM n WHERE i <= ${MAX_KEPT}`,
    `INSERT INTO variable_revisions (id, account_id, project_id, revision, changed_at, changed_by, set_names, removed_names)
     SELECT '${projectId}/' || i, ${owner}, i, i, ${TOKEN}, '["OLD"]', '[]' FROM n WHERE i <= ${MAX_KEPT}`,
    `INSERT INTO variables (id, account_id, project_id, name, revision, until, changed_at, changed_by, secret, build, value)
     SELECT '${projectId}/OLD/' || i, ${owner}, 'OLD', i, i + 1, i, ${TOKEN}, 0, 0, '1' FROM n WHERE i <= ${MAX_KEPT}`,
    `INSERT INTO tokens (id, account_id, name, hash, scopes, created_at, expires_at, revoked_at)
     SELECT ${id("tok")}, '${accountId}', 'old', printf('%02d%062x', ${seed}, i), '[]', i, ${Date.now()} + i, ${Date.now()} FROM n`,
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(`${rows} ${statement}`)));
}
