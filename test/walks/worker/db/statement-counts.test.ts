import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { DeploymentId, ProjectId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import {
  deploymentDeletion,
  endLostDeployments,
  type DeploymentRecord,
  deploymentWrites,
} from "#worker/db/deployments/deployment-records.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { jsonLists } from "#worker/db/statements.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { ids } from "../../../support/worker/account.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { onPrepare, recordStatements } from "../../../support/worker/statements.ts";
import { createWorld } from "../../../support/worker/world.ts";

/** More rows than the 50 statements that D1's free plan allows per invocation of the Worker. */
const MANY = 120;

const numbered = (prefix: string) =>
  Array.from({ length: MANY }, (_, at) => `${prefix}_${String(at + 1).padStart(26, "0")}`);

async function addDeployments(): Promise<{
  rows: AccountRows;
  projectId: ProjectId;
  all: DeploymentRecord[];
}> {
  const { account, projectId, deploymentId } = await createWorld();
  const rows = new AccountRows(env.DB, account.id);
  const found = await findDeployment(rows, deploymentId);
  if (found === null) throw new Error("the deployment is not there");
  const { ahead: _ahead, firstInLine: _firstInLine, ...first } = found;
  const all = numbered("dpl").map((id, at) => ({
    ...first,
    id: DeploymentId.parse(id),
    version: at + 10,
    revision: 1,
    status: at === 0 ? ("live" as const) : ("building" as const),
    stage: at === 0 ? null : ("queued" as const),
    release: at === 0 ? 10 : null,
  }));
  return { rows, projectId, all };
}

const countOf = async (where: string) =>
  (await env.DB.prepare(`SELECT count(*) AS found FROM ${where}`).first<{ found: number }>())?.found;

describe("a write of many rows to D1", () => {
  it("is one statement for all projects of a server, which finds each row by its id", async () => {
    const { account, serverId } = await createWorld();
    const agent = await enrolAgent(account.token, "web-2");
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
       INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
       SELECT 'proj_' || printf('%026d', i), account_id, ?, 'site ' || i, 'site' || i || '.test', repository, repository_key, branch,
         settings, 0 FROM n, projects WHERE server_id = ?`,
    )
      .bind(agent.serverId, serverId)
      .run();
    await agent.connect();
    await agent.receives("welcome");
    const bound: [string, unknown[]][] = [];
    onPrepare((text, prepared) => {
      if (text.startsWith('update "projects"') && text.includes("json_each"))
        onCalls(prepared, "bind", (values) => bound.push([text, values]));
    });
    agent.status(
      numbered("proj").map((id, at) => ({
        project_id: ProjectId.parse(id),
        release: at + 1,
        releases: [at + 1],
        url: at === 0 ? null : `http://127.0.0.1:9000/'${at}'`,
      })),
    );
    await expect.poll(() => countOf("projects WHERE serving_release IS NOT NULL")).toBe(MANY);
    expect(await countOf("projects WHERE 'site ' || serving_release = name")).toBe(MANY);
    expect(await countOf("projects WHERE typeof(serving_checked_at) = 'integer' AND url LIKE '%'''")).toBe(
      MANY - 1,
    );
    expect(bound).toHaveLength(1);
    const [text, values] = bound[0] ?? ["", []];
    const { results } = await env.DB.prepare(`explain query plan ${text}`)
      .bind(...values)
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => detail).join("\n")).toContain("SEARCH projects USING INDEX");
  });

  it("is a few statements for many deployments that are written, ended and removed", async () => {
    const { rows, all } = await addDeployments();
    const statements = recordStatements();
    await rows.runTogether(deploymentWrites(rows, all));
    expect(statements).toHaveLength(1);
    await endLostDeployments(rows, all, 77);
    expect(statements).toHaveLength(2);
    const [live, building] = await Promise.all([
      findDeployment(rows, all[0]?.id ?? ids.deployment()),
      findDeployment(rows, all[1]?.id ?? ids.deployment()),
    ]);
    expect(live).toMatchObject({
      ...all[0],
      status: "superseded",
      finishedAt: 77,
      failure: null,
      deadlineAt: null,
      waitsForServer: false,
    });
    const failure = {
      code: "internal",
      message: "its result was lost from the database",
      stage: "queued",
    };
    expect(building).toMatchObject({ status: "failed", finishedAt: 77, stage: null, failure });
    expect(await countOf("deployments WHERE status = 'failed'")).toBe(MANY - 1);
    statements.length = 0;
    const allIds = all.map(({ id }) => id);
    await rows.runTogether(deploymentDeletion(rows, allIds));
    expect(statements).toHaveLength(1);
    // The deployment that the account had before.
    expect(await countOf("deployments")).toBe(1);
  });

  it("is divided if its text exceeds D1's limit, in order and without loss", () => {
    const values = Array.from({ length: 100 }, (_, at) => `${at}${"€".repeat(20_000)}`);
    const lists = jsonLists(values);
    expect(lists.length).toBeLessThan(10);
    const bytes = lists.map((list) => new TextEncoder().encode(list).length);
    expect(Math.max(...bytes)).toBeLessThan(2_000_000);
    const read = lists.flatMap((list): unknown[] => JSON.parse(list));
    expect(read).toEqual(values);
    expect(jsonLists([])).toEqual([]);
  });
});
