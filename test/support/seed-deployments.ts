import type { Project } from "#contract/endpoints/projects/schemas.ts";

import type { LocalFile } from "../../scripts/start/local-file.ts";
import { writeDatabase } from "./write-database.ts";

const messages = [
  "Explain how to create a link",
  "Show the table of contents beside the text",
  "Fix two examples",
  "Describe the health check",
  "Update the packages",
  "Answer the most frequent questions",
];

const DAY_MS = 24 * 60 * 60 * 1000;

export type Seed = {
  readonly count: number;
  /** The age of the oldest deployment. */
  readonly days: number;
};

/**
 * Inserts a history of deployments for a project that has none, as database rows. Its lane and its server do not know
 * them. The newest is live, one in nine failed, and one in fifty was canceled. Do not deploy such a project.
 * @param home of the running installation
 */
export function seedDeployments(
  home: string,
  { account_id }: Pick<LocalFile, "account_id">,
  { id, server_id }: Project,
  { count, days }: Seed,
): void {
  const step = Math.floor((days * DAY_MS) / count);
  const first = Date.now() - step * (count - 1);
  const actor = JSON.stringify({ type: "token", id: "tok_seed", name: "CI" });
  const failure = JSON.stringify({
    code: "build_failed",
    message: "The build command ended with exit code 1.",
    stage: "build",
    evidence: { exit_code: 1, signal: null, stderr_tail: "Error: 2 tests failed\n" },
  });
  const message = `CASE i % ${messages.length} ${messages.map((text, at) => `WHEN ${at} THEN '${text}'`).join(" ")} END`;
  // The first digits of an id are a time. These ids sort before every generated one.
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}),
    rows AS (SELECT i, ${first} + (i - 1) * ${step} AS at, 6000 + abs(random() % 4000) - i * 2000 / ${count} AS took,
      printf('%08x', i * 2654435761 % 4294967296) AS hash,
      CASE WHEN i = ${count} THEN 'live' WHEN i % 9 = 4 THEN 'failed' WHEN i % 50 = 7 THEN 'canceled' ELSE 'superseded' END AS status
      FROM n)
    INSERT OR IGNORE INTO deployments (id, account_id, project_id, server_id, version, kind, rollback_of, status, stage,
      waits_for_server, branch, commit_sha, commit_message, "trigger", actor, created_at, started_at, finished_at, deadline_at,
      failure, evidence, release, release_kept, revision)
    SELECT 'dpl_' || printf('%026d', abs(random() % 1000000) + i * 1000000), '${account_id}', '${id}', '${server_id}', i,
      'deploy', NULL, status, NULL, 0, CASE i % 5 WHEN 3 THEN 'next' ELSE 'main' END,
      hash || hash || hash || hash || hash, ${message}, 'api', '${actor}', at, at + 200,
      at + 200 + took, at + 3600000, CASE status WHEN 'failed' THEN '${failure}' END, NULL,
      CASE WHEN status IN ('live', 'superseded') THEN i END, 0, 1 FROM rows`;
  writeDatabase(home, [{ sql, parameters: [] }]);
}
