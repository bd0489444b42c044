import { describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { type Endpoint, scopeOf } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { type MarkedField, markedFields } from "#contract/powers/marked-fields.ts";
import type { Mark, TokenOperation } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powersOf } from "#contract/powers/scope-powers.ts";
import { roleScopes } from "#contract/roles.ts";
import { allScopes, type Scope, scopesAllow } from "#contract/scopes.ts";
import { everySetting } from "../../support/every-setting.ts";
import { createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { share } from "../../support/worker/storage.ts";
import { operationNames, requests, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const table: Readonly<Record<string, Endpoint>> = endpoints;
const all: Readonly<Record<string, Mark>> = marks;

type Marked = MarkedField & {
  readonly operation: TokenOperation;
  readonly own: Scope;
  readonly name: string;
};

/** Each operation and field with a power. */
const marked = operationNames
  .filter((operation): operation is TokenOperation => operation in marks)
  .flatMap((operation): Marked[] => {
    const own = scopeOf(endpoints[operation].access);
    const fields = own === null ? [] : markedFields(all[operation] ?? "none");
    return own === null
      ? []
      : fields.map((field) => ({ ...field, operation, own, name: [operation, ...field.path].join(" ") }));
  });

const { name: _name, domain: _domain, ...others } = everySetting;
// Another host than the repository's is another power.
const projectSettings = { ...others, health_check: { url: "http://127.0.0.1:3000/up" } };
const commit = "8e8412f0c3b1d57a94e2f6a8b0c7d1e5f3a29b64";
const artifact = { sha256: "0".repeat(64), bytes: 1, parts: 1, platform: null, boxes: {} };
const emergency = "Checkout is down";
const variables = [
  { name: "NODE_OPTIONS", value: "--inspect" },
  { name: "TOKEN", value: "hush", secret: true, build: true },
  { name: "KEY", sealed: [{ fingerprint: "A".repeat(22), box: "A".repeat(64) }], secret: true },
  {
    ...{ name: "KEY_OF_TWO", ciphertext: "A".repeat(38), secret: true },
    sealed: ["A", "B"].map((letter) => ({ fingerprint: letter.repeat(22), box: "A".repeat(107) })),
  },
];

/** A body with every marked field, for the operations with marked fields. */
const bodies: { readonly [Name in TokenOperation]?: (world: World) => object } = {
  startDeployment: () => ({ branch: "stable", commit, artifact, emergency }),
  deploy: ({ projectId }) => ({ project_id: projectId, branch: "stable", commit, artifact, emergency }),
  rollBack: ({ projectId, deploymentId }) => ({
    ...{ project_id: projectId, deployment_id: deploymentId, version: 1 },
    ...{ settings: "current", variables: "current", emergency },
  }),
  restartProcess: () => ({ emergency }),
  stopProcess: () => ({ emergency }),
  startProcess: () => ({ emergency }),
  applyConfig: () => ({ emergency }),
  createProject: ({ serverId }) => ({
    ...projectSettings,
    server_id: serverId,
    servers: [{ id: serverId }],
    build_on: serverId,
    repository: "https://git.test/blog.git",
  }),
  updateProject: ({ serverId }) => ({
    ...projectSettings,
    server_id: serverId,
    servers: [{ id: serverId }],
    build_on: serverId,
    repository: "https://git.test/blog.git",
    automatic: [],
  }),
  testRepository: () => ({ repository: "https://git.test/blog.git" }),
  updateProcess: () => ({
    ...{ command: "node server.js", stop_signal: "SIGUSR1", container_port: 9229, network: "host" },
    emergency,
  }),
  updateVariables: () => ({ set: variables, remove: ["OLD"] }),
  updateFreeze: () => ({
    times: { type: "weekly", days: ["friday"], from: "16:00", to: "17:00", timezone: "UTC" },
  }),
  updateWebhook: () => ({
    events: ["*"],
    project_ids: null,
    enabled: true,
    url: "https://shop.test/hook",
    headers: { "x-key": "1" },
    topic: "shop",
    token: "secret",
    to: "ops@shop.test",
    api_url: "https://git.test/api",
    statuses: true,
    deployments: true,
  }),
  updateServer: () => ({ ip: "192.0.2.9" }),
  updateAccount: () => ({ log_retention_days: 1, deployment_retention_days: 1 }),
  // The person was no owner before.
  updateMember: () => ({ ...{ name: "Grace", email: null, is_owner: false }, grants: [{ role: "viewer" }] }),
};

/** What the operation requires beside the field. */
const required: { readonly [Name in TokenOperation]?: (world: World) => object } = {
  deploy: ({ projectId }) => ({ project_id: projectId }),
  rollBack: ({ projectId }) => ({ project_id: projectId }),
  createProject: ({ serverId }) => ({
    name: "blog",
    server_id: serverId,
    repository: "https://git.test/blog.git",
  }),
  updateVariables: () => ({ revision: 0 }),
};

/** The part of a value that has the field. An element of a list or record is taken with all of its fields. */
function partWith(value: unknown, [field, ...inner]: readonly string[]): unknown {
  if (field === undefined) return value;
  if (field === "*") {
    const has = (element: unknown) =>
      inner.every((name, at) => at > 0 || Object.hasOwn(objectOf(element), name));
    if (Array.isArray(value)) return value.filter(has).slice(0, 1);
    return Object.fromEntries(Object.entries(objectOf(value)).filter(([, element]) => has(element)));
  }
  const own = objectOf(value)[field];
  if (own === undefined) throw new Error(`powers.test.ts has no example for ${field}`);
  return { [field]: partWith(own, inner) };
}

/** Fields that a request with all others cannot have too. */
const instead: { readonly [Name in TokenOperation]?: readonly string[] } = { rollBack: ["version"] };

function allFields(operation: TokenOperation, world: World): object | undefined {
  const body = bodies[operation]?.(world);
  const left = instead[operation] ?? [];
  return body && Object.fromEntries(Object.entries(body).filter(([field]) => !left.includes(field)));
}

/** Sends a request. @param part of the example, beside the required fields */
async function send(
  operation: TokenOperation,
  world: World,
  token: string,
  part?: unknown,
): Promise<Response> {
  const request = requests[operation](world);
  const sent = part ?? allFields(operation, world) ?? request.body;
  const body =
    request.body === undefined ? undefined : { ...required[operation]?.(world), ...objectOf(sent) };
  return await call(request.path, { method: table[operation]?.method ?? "", token, body });
}

/** Rights that the examples give, which the caller must have too. */
const given: { readonly [Name in TokenOperation]?: readonly Scope[] } = {
  createInvitation: roleScopes.deployer,
  updateMember: roleScopes.viewer,
};

/** Whether the words of the scope say it: it allows the operation, and grants the power. */
const saysIt = ({ own, power }: Marked, scope: Scope) =>
  scopesAllow([scope], own) && powersOf([scope]).includes(power);

describe("a token for deployments", () => {
  const AuditEntries = z.object({ entries: z.array(z.object({ action: z.string(), outcome: z.string() })) });

  it("changes how many instances of a process run, but not its command", async () => {
    const { account, projectId } = await copyWorld();
    const { secret: token } = await createToken(account.id, { scopes: ["deployments:write"] });
    const path = `/v1/projects/${projectId}/processes/web`;
    expect((await call(path, { method: "PATCH", token, body: { instances: 2 } })).status).toBe(200);
    for (const command of ["printenv", null]) {
      const refused = await call(path, { method: "PATCH", token, body: { instances: 3, command } });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("www-authenticate")).toContain('scope="deployments:write projects:write"');
      expect(await problemOf(refused)).toMatchObject({
        code: "insufficient_scope",
        detail:
          "The token lacks the scope projects:write, which the field command needs. It lets the caller run code of their choice with a project's secrets.",
      });
    }
    const project = await call(`/v1/projects/${projectId}`, { token: account.token });
    expect(await project.json()).toMatchObject({
      processes: { web: { command: "node server.js", instances: 2 } },
    });
    await expect
      .poll(async () => {
        const log = await call("/v1/audit?action=updateProcess", { token: account.token });
        return AuditEntries.parse(await log.json()).entries.map(({ outcome }) => outcome);
      })
      .toEqual(["refused", "refused", "done"]);
  });
});

describe("a token with one scope", () => {
  const shared = share(async () => {
    const world = await copyWorld();
    const tokens = allScopes.map(async (scope) => {
      const { secret } = await createToken(world.account.id, { scopes: [scope] });
      return { scope, secret };
    });
    return { world, tokens: await Promise.all(tokens) };
  });

  it.each(marked)("is refused $name, unless the scope's words say it, and changes nothing", async (field) => {
    const { world, tokens } = shared();
    for (const { scope, secret } of tokens) {
      if (saysIt(field, scope)) continue;
      const part =
        field.path.length === 0 ? undefined : partWith(bodies[field.operation]?.(world), field.path);
      const response = await send(field.operation, world, secret, part);
      expect([scope, response.status]).toEqual([scope, 403]);
      expect(await problemOf(response)).toMatchObject({ code: "insufficient_scope" });
    }
  });
});

describe("a token with the scopes whose words say it", () => {
  const operations = [...new Set(marked.map(({ operation }) => operation))];

  // In one test, because the storage is emptied between tests, and many of these requests have work to do after it.
  it("is allowed each operation, with all fields that have a power", async () => {
    for (const operation of operations) {
      const fields = marked.filter((field) => field.operation === operation);
      const alone = allScopes.filter((scope) => fields.every((field) => saysIt(field, scope)));
      const together = fields.flatMap(({ own, scope }) => (scope === null ? [] : [own, scope]));
      const ways = together.length > 0 ? [together] : alone.map((scope) => [scope]);
      expect([operation, ways.length > 0]).toEqual([operation, true]);
      for (const scopes of ways) {
        const world = await copyWorld();
        const needed = [...scopes, ...(given[operation] ?? [])];
        const { secret } = await createToken(world.account.id, { scopes: needed });
        const response = await send(operation, world, secret);
        expect([401, 403], operation).not.toContain(response.status);
        // Otherwise the request may be refused for its form, before its fields are looked at.
        const detail = response.status === 422 ? (await problemOf(response)).detail : "";
        expect([operation, detail]).not.toEqual([operation, "The body is not valid."]);
      }
    }
  });
});
