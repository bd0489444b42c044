import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import { call } from "../../../support/worker/call.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { onPrepare, recordStatements } from "../../../support/worker/statements.ts";
import { createSession } from "../../../support/worker/sessions.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { operationNames, perform } from "../../../support/worker/world.ts";
import { copyWorld } from "../../../support/worker/world-copy.ts";

const OWNED =
  /\b(?:from|join|update|into) "(?:tokens|servers|projects|deployments|events|audit_entries|audit_seals|webhooks|hooks|pushes|freezes|trust_rules|members|invitations|passkeys|recovery_codes|connect_grants)"/g;
const OWNER = /"account_id"/g;
/** These are about the account itself or no account, or are refused: the world's codes, verifier and identity token are wrong. */
const ofNoAccountsRows: readonly string[] = [
  "getAccount",
  "updateAccount",
  "getHealth",
  "createSession",
  "createSignInChallenge",
  "getSignInOptions",
  "startSignIn",
  "lookUpInvitation",
  "acceptInvitation",
  "claimToken",
  "exchangeToken",
];

/**
 * The statements that find out which account sends a request: find-token-holder, server-records, enrollments, and the records by which people
 * sign in or join.
 */
const BY_SECRET =
  /where \(*"(?:tokens"\."hash|servers"\."credential_hash|servers"\."enrollment_hash|invitations"\."hash|passkeys"\."credential_id|recovery_codes"\."id|sign_in_codes"\."hash|connect_grants"\."id)" = \?/;

/** A limit that is a parameter: SQLite plans the statement at each run (`limited`). */
const PLANNED_EACH_TIME = /\b(?:limit|offset) \?/;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

function forgetful(statements: readonly string[]): string[] {
  return statements.filter((text) => !BY_SECRET.test(text) && count(text, OWNED) > count(text, OWNER));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a statement on rows that belong to an account", () => {
  it.each(operationNames)("names the account, and has its limits as numbers, for %s", async (name) => {
    const world = await copyWorld();
    const statements = recordStatements();
    await perform(name, world);
    expect(forgetful(statements)).toEqual([]);
    expect(statements.filter((text) => PLANNED_EACH_TIME.test(text))).toEqual([]);
    if (!ofNoAccountsRows.includes(name)) expect(statements.join()).toMatch(OWNED);
  });

  it("names the account when a deployment is started, taken live, rolled back and deleted", async () => {
    const statements = recordStatements();
    const project = await TestProject.connected();
    const first = await project.deploy();
    await project.deploy();
    const { id } = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(id));
    await project.reaches(id, "live");
    expect((await project.delete(first.id)).status).toBe(204);
    expect(forgetful(statements)).toEqual([]);
    expect(statements.some((text) => text.startsWith('insert into "deployments"'))).toBe(true);
    expect(statements.some((text) => text.startsWith('delete from "deployments"'))).toBe(true);
  });

  it("names the account when a user signs in and an agent is enrolled", async () => {
    const { account, serverId } = await copyWorld();
    const statements = recordStatements();
    const { token } = await createSession(account.id);
    const made = await call(`/v1/servers/${serverId}/enrollment`, { method: "POST", token });
    const enrollment = Enrollment.parse(await made.json());
    const body = { token: enrollment.token, hostname: "web-1", agent_version: "0.2.0" };
    expect((await call("/v1/agent/enroll", { method: "POST", body })).status).toBe(201);
    expect(forgetful(statements)).toEqual([]);
    expect(statements.some((text) => text.startsWith('insert into "tokens"'))).toBe(true);
    expect(statements.some((text) => text.startsWith('update "servers"'))).toBe(true);
  });

  it("fails this test if it does not name the account", () => {
    const careless = 'select "id" from "projects" where "projects"../../../worker/db"id" = ?';
    const careful =
      'select "id" from "projects" where ("projects"../../../worker/db"account_id" = ? and "projects"../../../worker/db"id" = ?)';
    const half =
      'select (select count(*) from "projects") from "servers" where "servers"../../../worker/db"account_id" = ?';
    expect(forgetful([careless, careful, half])).toEqual([careless, half]);
  });
});

describe("a list of deployments", () => {
  const plan = async (statement: string, parameters: readonly unknown[]) => {
    const { results } = await env.DB.prepare(`explain query plan ${statement}`)
      .bind(...parameters)
      .all<{ detail: string }>();
    return results.map((row) => row.detail).join("\n");
  };

  it.each([
    ["/v1/deployments", "deployments_account"],
    ["/v1/deployments?project_id=PROJECT", "deployments_version"],
    ["/v1/projects/PROJECT/deployments", "deployments_version"],
  ])("%s uses an index and does not sort", async (path, index) => {
    const world = await copyWorld();
    const bound: [string, unknown[]][] = [];
    const stop = onPrepare((text, prepared) => {
      onCalls(prepared, "bind", (values) => bound.push([text, values]));
    });
    await call(path.replace("PROJECT", world.projectId), { token: world.account.token });
    stop();
    const [statement, parameters] = bound.find(([text]) => text.includes('from "deployments"')) ?? ["", []];
    const steps = await plan(statement, parameters);
    expect(steps).toContain(`SEARCH deployments USING INDEX ${index}`);
    expect(steps).not.toContain("TEMP B-TREE");
    if (statement.includes("others")) expect(steps).toContain("USING INDEX deployments_building");
  });
});
