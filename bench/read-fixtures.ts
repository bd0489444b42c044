import * as z from "zod/mini";

import type { System } from "../test/support/journey-system.ts";
import { seedDeployments } from "../test/support/seed-deployments.ts";
import { writeDatabase } from "../test/support/write-database.ts";

/** More than a page, so that each list has a next one. */
const OF_EACH = 60;
const PAGE = "limit=50";
const DAY_MS = 24 * 60 * 60 * 1000;

/** A request to measure. `kind` decides its goal: `object` also reads from a Durable Object or R2. */
export type ReadRequest = {
  readonly operation: string;
  readonly kind: "one" | "list" | "object";
  readonly path: string;
};

const Created = z.object({ id: z.string() });
const FirstEvent = z.object({ events: z.array(Created) });

/**
 * Fills an installation with 60 objects of each kind.
 * @returns each GET that does not wait for an agent
 */
export async function createReadRequests(system: System): Promise<ReadRequest[]> {
  const { api, local } = system;
  const { project_id: served, server_id: server } = local;
  const create = async (path: string, body: unknown): Promise<string> => {
    const { status, text, json } = await api.call("POST", path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    return Created.parse(json).id;
  };
  const createEach = async (path: string, bodyOf: (at: number) => unknown): Promise<string> => {
    let id = "";
    for (let at = 0; at < OF_EACH; at += 1) id = await create(path, bodyOf(at));
    return id;
  };

  const { id: latest } = await api.start(served);
  await api.ended(latest);
  for (let at = 0; at < OF_EACH; at += 1) {
    const set = [{ name: `SETTING_${at % 8}`, value: `${at}` }];
    await api.call("PATCH", `/v1/projects/${served}/variables`, { set });
  }
  const repository = (at: number) => `https://git.test/shop-${at}.git`;
  const long = await api.createProject({ name: "long", server_id: server, repository: repository(OF_EACH) });
  seedDeployments(system.home, local, long, { count: 1_000, days: 30 });
  await createEach("/v1/projects", (at) => ({
    name: `p${at}`,
    server_id: server,
    repository: repository(at),
  }));
  await createEach("/v1/servers", (at) => ({ name: `s${at}`, ip: "192.0.2.1" }));
  await createEach("/v1/tokens", (at) => ({ name: `t${at}`, scopes: ["projects:read", "deployments:read"] }));
  const from = Date.now() + 100 * DAY_MS;
  const times = { type: "once", from: new Date(from), to: new Date(from + DAY_MS) };
  const freeze = await createEach("/v1/freezes", (at) => ({ name: `f${at}`, project_id: long.id, times }));
  const hook = await createEach("/v1/hooks", (at) => ({ forge: "gitea", repository: repository(at) }));
  const target = { kind: "standard", url: "http://127.0.0.1:9/hook", events: ["audit.sealed"] };
  const webhook = await createEach("/v1/webhooks", (at) => ({ ...target, name: `w${at}` }));
  seedPushes(system, hook);
  const { json } = await api.call("GET", "/v1/events?limit=1");
  const [event] = FirstEvent.parse(json).events;

  const project = `/v1/projects/${served}`;
  return [
    one("getAccount", "/v1/account"),
    one("getProject", project),
    one("getDeployment", `/v1/deployments/${latest}`),
    one("getProjectDeployment", `${project}/deployments/${latest}`),
    one("getVariables", `${project}/variables`),
    one("getServer", `/v1/servers/${server}`),
    one("getEvent", `/v1/events/${event?.id ?? ""}`),
    one("getFreeze", `/v1/freezes/${freeze}`),
    one("getHook", `/v1/hooks/${hook}`),
    list("listProjects", "/v1/projects"),
    list("listDeployments", "/v1/deployments"),
    list("listProjectDeployments", `/v1/projects/${long.id}/deployments`),
    list("listVariableRevisions", `${project}/variables/revisions`),
    list("listServers", "/v1/servers"),
    list("listTokens", "/v1/tokens"),
    list("listEvents", "/v1/events"),
    list("listAuditEntries", "/v1/audit"),
    list("listFreezes", "/v1/freezes"),
    list("listHooks", "/v1/hooks"),
    list("listHookPushes", `/v1/hooks/${hook}/pushes`),
    list("listWebhooks", "/v1/webhooks"),
    object("getDeploymentLog", `/v1/logs/${latest}`),
    object("listRollbackTargets", `${project}/rollback-targets`),
    object("getWebhook", `/v1/webhooks/${webhook}`),
    object("listDeliveries", `/v1/webhooks/${webhook}/deliveries`),
  ];
}

const one = (operation: string, path: string): ReadRequest => ({ operation, kind: "one", path });
const list = (operation: string, path: string): ReadRequest => ({
  operation,
  kind: "list",
  path: `${path}?${PAGE}`,
});
const object = (operation: string, path: string): ReadRequest => ({ operation, kind: "object", path });

/** Inserts pushes that the hook has received and that deployed nothing, as database rows. */
function seedPushes({ home, local }: System, hook: string): void {
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OF_EACH})
    INSERT INTO pushes (id, account_id, hook_id, project_id, source, received_at, delivery_id, event, ref, before, after,
      headline, pusher, body_hash, decision, reason, detail)
    SELECT 'push_' || printf('%026d', i), '${local.account_id}', '${hook}', '${local.project_id}', 'hook',
      ${Date.now()} + i, 'delivery-' || i, 'push', 'refs/heads/next', printf('%040x', i - 1), printf('%040x', i),
      'Show prices', 'alice', printf('%064x', i), 'ignored', 'branch_not_watched', 'The project deploys main.' FROM n`;
  writeDatabase(home, [{ sql, parameters: [] }]);
}
