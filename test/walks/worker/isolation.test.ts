import { env } from "cloudflare:workers";
import * as z from "zod";
import { describe, expect, it } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { githubBody, hmac, RECORDED_SECRET, recordPush, send } from "../../support/worker/deliveries.ts";
import { publish, renamed } from "../../support/worker/events.ts";
import { recordSignedIn } from "../../support/worker/record-people.ts";
import { share } from "../../support/worker/storage.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";
import {
  createWorld,
  missing,
  operationNames,
  perform,
  requests,
  senderOf,
  type World,
} from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const byToken = operationNames.filter((name) => endpoints[name].access.by === "token");
const byAgent = operationNames.filter((name) => endpoints[name].access.by === "agent");
const changing = byToken.filter((name) => endpoints[name].method !== "GET");

/** Whether the operation's request contains an id of its world. */
function namesSomething(name: OperationName, world: World): boolean {
  return /_[0-9a-z]{26}/.test(JSON.stringify(requests[name](world)));
}

async function bodyWithoutRequestId(response: Response): Promise<string> {
  return (await response.text()).replace(/req_[0-9a-f]+/, "req_");
}

async function everything(): Promise<unknown> {
  const tables = [
    "accounts",
    "tokens",
    "servers",
    "projects",
    "deployments",
    "freezes",
    "hooks",
    "pushes",
    "trust_rules",
    "webhooks",
    "members",
    "invitations",
    "passkeys",
  ];
  const results = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY id`)),
  );
  return results.map((result) => result.results);
}

/** The status, the headers and the body of an answer, without what differs between any two requests. */
async function comparable(response: Response): Promise<unknown> {
  const headers = new Headers(response.headers);
  headers.delete("x-request-id");
  headers.delete("gantry-bookmark");
  return { status: response.status, headers: [...headers], body: await bodyWithoutRequestId(response) };
}

/** The worlds in which one or all of the ids of a request are replaced by the ids of another world. */
function mixed(own: World, other: World): World[] {
  const { projectId, deploymentId, freezeId, hookId, pushId, webhookId, trustRuleId } = other;
  const { serverId, tokenId, eventId, memberId, invitationId, passkeyId } = other;
  const ofPeople = { memberId, invitationId, passkeyId };
  const ofProject = { projectId, deploymentId, freezeId, hookId, pushId };
  return [
    { ...own, projectId },
    { ...own, deploymentId },
    { ...own, freezeId },
    { ...own, hookId },
    { ...own, pushId },
    { ...own, webhookId },
    { ...own, trustRuleId },
    { ...own, serverId },
    { ...own, tokenId },
    { ...own, eventId },
    { ...own, ...ofPeople },
    { ...own, ...ofProject, ...ofPeople, webhookId, trustRuleId, serverId, tokenId, eventId },
  ];
}

/** The ids in these bodies are of what the new object belongs to. */
const inBody: ReadonlySet<OperationName> = new Set([
  ...(["createProject", "createToken", "createTrustRule", "createInvitation"] as const),
]);

describe("an account beside another", () => {
  const worlds = share(async () => [await createWorld("mine"), await createWorld("theirs")] as const);

  it.each(byToken)("%s answers the same for the other's ids as for ids that do not exist", async (name) => {
    const [mine, theirs] = worlds();
    if (!namesSomething(name, theirs)) return;
    const ask = async (world: World) => await perform(name, world, senderOf(name, mine));
    const [other, none] = [await ask(theirs), await ask(missing(theirs))];
    expect(other.status).toBe(inBody.has(name) ? 422 : 404);
    expect(none.status).toBe(other.status);
    const texts = [await bodyWithoutRequestId(other), await bodyWithoutRequestId(none)];
    // A 422 repeats the id that it was sent. A 404 must not contain an id.
    const repeated = name === "createProject" ? /srv_[0-9a-z]{26}/g : /(?!)/g;
    expect(texts[0]?.replaceAll(repeated, "id")).toBe(texts[1]?.replaceAll(repeated, "id"));
  });

  const withIdInPath = byToken.filter((name) => endpoints[name].path.includes("_id"));

  it.each(withIdInPath)(
    "%s answers byte for byte the same for each id of the other on its own",
    async (name) => {
      const [mine, theirs] = worlds();
      const ask = async (world: World) => await comparable(await perform(name, world, senderOf(name, mine)));
      const [absent, others] = [mixed(mine, missing(mine)), mixed(mine, theirs)];
      for (const [at, world] of absent.entries()) {
        if (requests[name](world).path === requests[name](mine).path) continue;
        const answer = await ask(world);
        expect(answer).toMatchObject({ status: 404 });
        expect(await ask(others[at] ?? mine)).toEqual(answer);
      }
    },
  );

  it.each(withIdInPath)("%s says which kind of object it did not find, without an id", async (name) => {
    const [world] = worlds();
    const { detail } = await problemOf(await perform(name, missing(world), senderOf(name, world)));
    expect(detail).toMatch(
      /^No (project|deployment|freeze|hook|push|webhook|trust rule|server|token|event|member|invitation|passkey|connection|identity) with this id exists, or the token cannot access it\.$/,
    );
    expect(detail).not.toMatch(/_[0-9a-z]{26}/);
  });

  it.each(changing)("%s changes nothing if it names ids of the other", async (name) => {
    const [mine, theirs] = worlds();
    if (!namesSomething(name, theirs)) return;
    const before = await everything();
    await perform(name, theirs, senderOf(name, mine));
    expect(await everything()).toEqual(before);
  });

  it("lists only its own objects", async () => {
    const [mine, theirs] = worlds();
    for (const name of [
      "listProjects",
      "listServers",
      "listDeployments",
      "listFreezes",
      "listHooks",
      "listHookPushes",
      "listProjectPushes",
      "listWebhooks",
      "listTokens",
      "listTrustRules",
      "listMembers",
      "listInvitations",
      "getProfile",
      "listOwnTokens",
      "listEvents",
      "listAuditEntries",
      "listAuditSeals",
      "listAuditSealCopies",
      "getAccount",
    ] as const) {
      const text = withoutRefused(await (await perform(name, mine)).text());
      const { account, credential: _credential, person, ...objects } = theirs;
      for (const id of [account.id, person.id, person.tokenId, ...Object.values(objects)])
        expect(text).not.toContain(id);
    }
    for (const filter of [`project_id=${theirs.projectId}`, `server_id=${theirs.serverId}`]) {
      const response = await call(`/v1/deployments?${filter}`, { token: mine.account.token });
      expect(await response.json()).toEqual({ deployments: [], next_cursor: null });
    }
  });

  it.each(byAgent)(
    "%s answers an agent the same for the other's ids as for ids that do not exist",
    async (name) => {
      const [mine, theirs] = worlds();
      const other = await perform(name, theirs, mine.credential);
      const none = await perform(name, missing(theirs), mine.credential);
      expect(none.status).toBe(other.status);
      expect(await bodyWithoutRequestId(none)).toBe(await bodyWithoutRequestId(other));
    },
  );
});

describe("two accounts", () => {
  it("can use the same names", async () => {
    const [mine, theirs] = [await createWorld("mine"), await createWorld("theirs")];
    expect((await perform("createServer", mine)).status).toBe(201);
    expect((await perform("createServer", theirs)).status).toBe(201);
    expect((await perform("createProject", mine)).status).toBe(201);
    expect((await perform("createProject", theirs)).status).toBe(201);
  });
});

/** An answer without the audit log's entries of refused requests, which have the ids that the requests named. */
function withoutRefused(text: string): string {
  const { data } = z
    .looseObject({ entries: z.array(z.looseObject({ outcome: z.string() })) })
    .safeParse(JSON.parse(text));
  return data === undefined
    ? text
    : JSON.stringify(data.entries.filter(({ outcome }) => outcome !== "refused"));
}

async function limitedTo(world: World, ...projectIds: World["projectId"][]): Promise<string> {
  return (await createToken(world.account.id, { projectIds })).secret;
}

/** Another project of the account on the same server, with a queued deployment, and a server without projects. */
async function surroundings({ account, serverId }: World) {
  const post = async (path: string, body: unknown): Promise<unknown> =>
    await (await call(path, { method: "POST", token: account.token, body })).json();
  const repository = "https://git.test/other.git";
  const project = Project.parse(
    await post("/v1/projects", { name: "other", server_id: serverId, repository }),
  );
  const started = DeploymentStarted.parse(await post("/v1/deploy", { project_id: project.id }));
  const spare = ServerCreated.parse(await post("/v1/servers", { name: "spare", ip: "192.0.2.7" }));
  const tokenOfOther = await createToken(account.id, { projectIds: [project.id] });
  const times = { type: "weekly", days: ["sunday"], from: "01:00", to: "02:00", timezone: "UTC" };
  const freeze = Freeze.parse(await post("/v1/freezes", { name: "all", times }));
  return {
    projectId: project.id,
    deploymentId: started.id,
    serverId: spare.id,
    tokenId: tokenOfOther.id,
    freezeId: freeze.id,
    ...(await recordPush(account.id, project)),
  };
}

/** What only the other project of `surroundings` has. */
const MARKER = "only-of-the-other";

/** The answer names nothing of the other project that the request has not named. */
function expectNothingOf(other: Partial<World>, answer: string, request: unknown): void {
  const { projectId, deploymentId, hookId, pushId, eventId } = other;
  const named = JSON.stringify(request);
  for (const text of [projectId, deploymentId, hookId, pushId, eventId, MARKER])
    if (text !== undefined && !named.includes(text)) expect(answer).not.toContain(text);
}

describe("a token or a member that is limited to a project with a history", () => {
  /**
   * The project's webhook got events of the other project before it was narrowed, and was tested then. The project has
   * changed to the other project's repository, which its server has not read, and that repository got a push.
   */
  const history = share(async () => {
    const world = await createWorld();
    const { account, projectId } = world;
    const other = { ...world, ...(await surroundings(world)) };
    const webhook = await TestWebhook.create({ events: ["*"] }, account);
    const ofOther = renamed(other, MARKER);
    await publish(account.id, [ofOther, renamed(world, "own")]);
    await webhook.alarm();
    await webhook.request("/test", "POST", {});
    await webhook.request("", "PATCH", { project_ids: [projectId] });
    const body = { repository: "https://git.test/other.git" };
    await call(`/v1/projects/${projectId}`, { method: "PATCH", token: account.token, body });
    const push = JSON.stringify(
      githubBody({ repository: { full_name: "other" }, ref: `refs/heads/${MARKER}` }),
    );
    const signature = `sha256=${await hmac(RECORDED_SECRET, push)}`;
    const headers = { "x-github-event": "push", "x-hub-signature-256": signature };
    expect((await send({ id: other.hookId }, push, headers)).status).toBe(200);
    const own = { ...world, webhookId: webhook.id };
    const admin = { role: "admin" as const, projectIds: [projectId], extra: [] };
    const member = await recordSignedIn(account.id, { name: "Alan", isOwner: false, grants: [admin] });
    const tokens = [await limitedTo(world, projectId), member.token];
    return { own, other: { ...other, eventId: ofOther.id }, tokens };
  });

  it("is about a push and a delivery that the account sees", async () => {
    const { own } = history();
    for (const name of ["listProjectPushes", "listEvents"] as const)
      expect(await (await perform(name, own)).text()).toContain(MARKER);
  });

  const reading = byToken.filter((name) => endpoints[name].method === "GET");

  it.each(reading)("%s shows nothing of another project", async (name) => {
    const { own, other, tokens } = history();
    for (const token of tokens)
      for (const way of mixed(own, other))
        expectNothingOf(other, await (await perform(name, way, token)).text(), requests[name](way));
  });
});

describe("a token that is limited to some projects", () => {
  const forProjects = byToken.filter((name) =>
    /project|deploy|rollback|logs|events/.test(endpoints[name].path),
  );

  it.each(forProjects)("%s works for its own project, and does not find others", async (name) => {
    const world = await copyWorld();
    const [own, none] = [await limitedTo(world, world.projectId), await limitedTo(world, ids.project())];
    if (name === "createProject") {
      expect((await perform(name, world, own)).status).toBe(403);
      return;
    }
    const list = name === "listProjects" || name === "listDeployments" || name === "listEvents";
    const refused = await perform(name, world, none);
    expect(refused.status).toBe(list ? 200 : 404);
    if (list) expect(await refused.text()).not.toContain(world.projectId);
    const allowed = await perform(name, world, own);
    expect([403, 404, 500]).not.toContain(allowed.status);
    if (list) expect(await allowed.text()).toContain(world.projectId);
  });

  it.each(forProjects)(
    "%s answers the same for a project outside its limit as for a missing one",
    async (name) => {
      const world = await copyWorld();
      const token = await limitedTo(world, ids.project());
      const ask = async (about: World) => await comparable(await perform(name, about, token));
      expect(await ask(world)).toEqual(await ask(missing(world)));
    },
  );

  /** All rows except rows of a project and of the tokens that are limited to it, without the times of use. */
  async function everythingOutside({ projectId }: World): Promise<unknown> {
    const tables: readonly (readonly [string, string])[] = [
      ["accounts", "true"],
      ["sign_in_codes", "true"],
      ["servers", "true"],
      ["projects", "id <> ?1"],
      ["deployments", "project_id <> ?1"],
      ["freezes", "project_id is null or project_id <> ?1"],
      ["hooks", "true"],
      ["pushes", "project_id is null or project_id <> ?1"],
      ["webhooks", "project_ids is null or project_ids <> json_array(?1)"],
      ["tokens", "project_ids is null or project_ids <> json_array(?1)"],
      ["trust_rules", "project_ids is null or project_ids <> json_array(?1)"],
      ["members", "true"],
      ["invitations", "true"],
      ["passkeys", "true"],
      ["recovery_codes", "true"],
    ];
    const results = await env.DB.batch<Record<string, unknown>>(
      tables.map(([table, where]) => {
        const statement = env.DB.prepare(`SELECT * FROM ${table} WHERE ${where} ORDER BY 1`);
        return where.includes("?1") ? statement.bind(projectId) : statement;
      }),
    );
    return results.map(({ results: rows }) => rows.map((row) => ({ ...row, last_used_at: null })));
  }

  it.each(changing)("%s changes nothing outside of its project", async (name) => {
    const world = await copyWorld();
    const token = await limitedTo(world, world.projectId);
    const other = await surroundings(world);
    const before = await everythingOutside(world);
    // First each id of the request on its own is outside the project, then all of them.
    const ways: readonly World[] = [
      world,
      { ...world, projectId: other.projectId },
      { ...world, deploymentId: other.deploymentId },
      { ...world, freezeId: other.freezeId },
      { ...world, hookId: other.hookId, pushId: other.pushId },
      { ...world, serverId: other.serverId },
      { ...world, tokenId: other.tokenId },
      { ...world, ...other },
    ];
    for (const way of ways) {
      expectNothingOf(other, await (await perform(name, way, token)).text(), requests[name](way));
      expect(await everythingOutside(world)).toEqual(before);
    }
  });

  const aboutServers = changing.filter((name) => endpoints[name].path.startsWith("/v1/servers"));

  it.each(aboutServers)("%s is refused, even if its project is the only one on the server", async (name) => {
    const world = await copyWorld();
    const response = await perform(name, world, await limitedTo(world, world.projectId));
    expect(response.status).toBe(403);
    expect(await problemOf(response)).toMatchObject({
      code: "insufficient_scope",
      detail: "The token is limited to some projects, but this endpoint affects the whole account.",
    });
  });

  it("sees its limit in the account", async () => {
    const world = await copyWorld();
    const response = await call("/v1/account", { token: await limitedTo(world, world.projectId) });
    expect(await response.json()).toMatchObject({ token: { project_ids: [world.projectId] } });
  });

  it("can be limited to more projects than a statement has parameters", async () => {
    const world = await copyWorld();
    const many = Array.from({ length: 500 }, () => ids.project());
    const token = await limitedTo(world, ...many, world.projectId);
    expect((await call(`/v1/projects/${world.projectId}`, { token })).status).toBe(200);
  });
});
