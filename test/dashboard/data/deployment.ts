import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { createIdGenerator } from "#contract/ids.ts";

let time = 1_700_000_000_000;
const ids = createIdGenerator({
  now: () => (time += 1),
  randomBytes: (count) => new Uint8Array(count),
});
const common = { project_id: ids.project(), server_id: ids.server(), actor_id: ids.token() };

/** A new deployment of the same project, newer than all earlier ones. */
export function deployment(version: number, status: Deployment["status"] = "superseded"): Deployment {
  return {
    id: ids.deployment(),
    status,
    version,
    branch: "main",
    commit: "8f14e45",
    duration: 1,
    created_at: "2026-11-20T09:14:02.310Z",
    project_id: common.project_id,
    server_id: common.server_id,
    kind: "deploy",
    rollback_of: null,
    stage: null,
    deadline_at: null,
    waiting_on: null,
    approved_by: null,
    emergency: null,
    changes: null,
    trigger: "api",
    actor: { type: "token", id: common.actor_id, name: "CI" },
    commit_sha: null,
    commit_message: null,
    started_at: null,
    finished_at: null,
    failure: null,
    evidence: null,
    release_kept: false,
    stages: [],
    runs: [],
    build: null,
    variables_revision: null,
    clear_cache: false,
  };
}
