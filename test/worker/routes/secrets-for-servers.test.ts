import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { MAX_SERVERS } from "#contract/endpoints/projects/servers.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { serversOf } from "#contract/endpoints/variables/schemas.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { findRepositoryToken, findRunVariables } from "#worker/db/variables/run-variables.ts";
import { openSecret, sealForServers } from "#sealing/secret-box.ts";
import { problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { rowsReadFor } from "../../support/worker/rows-read.ts";
import { newServerKeys, openSecrets, type ServerKeys } from "../../support/seal-keys.ts";

type Member = { readonly serverId: ServerId; readonly keys: ServerKeys };

/** A project on several servers whose agents have connected. `servers`: the first one of the project first. */
type Fleet = {
  readonly project: TestProject;
  readonly rows: AccountRows;
  readonly servers: readonly Member[];
};

/** Registers servers and adds them to the project. */
async function addServers(project: TestProject, names: readonly string[]) {
  const listed = serversOf(await project.variables()).map((one) => ({ id: one.server_id }));
  const added = [];
  for (const name of names) {
    const agent = await enrolAgent(project.token, name);
    added.push({ agent, serverId: ServerId.parse(agent.serverId) });
  }
  const servers = [...listed, ...added.map(({ serverId }) => ({ id: serverId }))];
  expect((await project.patch({ servers })).status).toBe(200);
  return added;
}

async function createFleet(count: number, settings: Record<string, unknown> = {}): Promise<Fleet> {
  const { project, keys } = await TestProject.withKeys(settings);
  const { account_id } = await project.variables();
  const rows = new AccountRows(env.DB, account_id);
  const servers = [{ serverId: ServerId.parse(project.agent.serverId), keys }];
  const names = Array.from({ length: count - 1 }, (_, at) => `web-${at + 2}`);
  for (const { agent, serverId } of names.length === 0 ? [] : await addServers(project, names))
    servers.push({ serverId, keys: await connectWithKeys(agent, project.token) });
  return { project, rows, servers };
}

/** The secrets that a server opens from what the control plane sends it now. */
async function openedOn({ serverId, keys }: Member, { project, rows }: Fleet) {
  const { revision } = await project.variables();
  const at = { revision, deployed: false };
  const found = await findRunVariables(rows, project.id, [serverId], at, "/srv/git/shop.git");
  const variables = found.get(serverId);
  if (variables === undefined) throw new Error("no variables");
  return await openSecrets({ project_id: project.id, variables }, keys);
}

/** The repository's token as each of the servers opens it. */
async function tokensOn(
  servers: readonly Member[],
  rows: AccountRows,
  id: ProjectId,
  repository: string,
  revision: number,
) {
  const tokens = servers.map(async ({ serverId, keys }) => {
    const at = { revision, deployed: false };
    const token = await findRepositoryToken(rows, id, serverId, at, repository);
    if (token === null) return null;
    const place = { ...token, project_id: id, name: "GANTRY_REPOSITORY_TOKEN" };
    return await openSecret(keys.keys, place, token.sealed);
  });
  return await Promise.all(tokens);
}

const patch = (project: TestProject, body: unknown) => project.call("PATCH", project.variablesPath, body);

/** The request of a client that seals one secret for the next revision. */
async function sealed(project: TestProject, name: string, value: string, keys: readonly ServerKeys[]) {
  const { account_id, project_id, revision } = await project.variables();
  const place = { account_id, project_id, name, revision: revision + 1 };
  const publicKeys = keys.map(({ sealKey }) => sealKey.public_key);
  const secret = await sealForServers(publicKeys, place, value);
  return { revision, set: [{ name, secret: true, ...secret }] };
}

describe("the secrets of a project with 50 servers", () => {
  const CREATION_MS = 60_000;

  it(
    "open on each server, sealed by a client or by the control plane, and an order has only its server's box",
    async () => {
      const fleet = await createFleet(MAX_SERVERS);
      const { project, servers } = fleet;
      const keys = servers.map((one) => one.keys);
      const read = await project.variables();
      const [first] = servers;
      expect([read.server_id, read.seal_key]).toEqual([first?.serverId, first?.keys.sealKey]);
      const listed = serversOf(read);
      expect(listed[0]?.server_id).toBe(first?.serverId);
      expect(new Map(listed.map((one) => [one.server_id, one.seal_key]))).toEqual(
        new Map(servers.map((one) => [one.serverId, one.keys.sealKey])),
      );

      const value = "x".repeat(32 * 1024);
      const byClient = await patch(project, await sealed(project, "BY_CLIENT", value, keys));
      expect(byClient.status).toBe(200);
      const secret = { name: "BY_WORKER", value: "correct-horse", secret: true };
      const byWorker = await (await patch(project, { set: [secret] })).text();
      expect(byWorker).not.toMatch(/correct-horse|"box"|"ciphertext"/);
      const fingerprints = keys.map(({ sealKey }) => sealKey.fingerprint);
      const { not_sealed, variables } = await project.variables();
      expect(not_sealed).toEqual([]);
      for (const one of variables)
        expect(one.secret && new Set(one.sealed_for)).toEqual(new Set(fingerprints));
      for (const server of servers)
        expect(await openedOn(server, fleet)).toEqual({ BY_CLIENT: value, BY_WORKER: "correct-horse" });
      const longest = env.DB.prepare("SELECT max(length(sealed)) AS bytes FROM variables");
      expect(await longest.first("bytes")).toBeLessThan(64 * 1024);

      const order = await project.agent.orderOf((await project.start()).id);
      const text = JSON.stringify(project.agent.received);
      expect(fingerprints.filter((fingerprint) => text.includes(fingerprint))).toEqual(
        fingerprints.slice(0, 1),
      );
      expect(text).not.toContain("correct-horse");
      const [own = await newServerKeys()] = keys;
      expect(await openSecrets(order, own)).toEqual({ BY_CLIENT: value, BY_WORKER: "correct-horse" });
    },
    CREATION_MS,
  );

  it(
    "can be 200 in one request, with values of 512 KiB, and fit into an order",
    async () => {
      const { project, servers } = await createFleet(MAX_SERVERS);
      const box = "A".repeat(107);
      const boxes = servers.map(({ keys }) => ({ fingerprint: keys.sealKey.fingerprint, box }));
      const ciphertext = "A".repeat(Math.ceil(((2600 + 28) * 4) / 3));
      const names = Array.from({ length: 200 }, (_, at) => `S${at}_`.padEnd(128, "X"));
      const set = names.map((name) => ({ name, secret: true, sealed: boxes, ciphertext }));
      expect((await patch(project, { revision: 0, set })).status).toBe(200);
      const order = await project.agent.orderOf((await project.start()).id);
      expect(order.variables?.secrets).toHaveLength(200);
      expect(JSON.stringify({ type: "run", order }).length).toBeLessThan(MAX_LINK_MESSAGE);
    },
    CREATION_MS,
  );
});

describe("a project with several servers", () => {
  it("refuses a secret that is not sealed for one of them, and names the server", async () => {
    const { project, servers } = await createFleet(3);
    const keys = servers.map((one) => one.keys);
    const stranger = await newServerKeys();
    const incomplete = await sealed(project, "KEY", "only-a-test", [...keys.slice(0, 2), stranger]);
    const refused = await problemOf(await patch(project, incomplete));
    expect(refused).toMatchObject({ status: 409, code: "secrets_not_sealed" });
    const [first, second, third] = servers;
    expect(refused.detail).toContain(`: KEY.`);
    expect(refused.detail).toContain(`${third?.keys.sealKey.fingerprint} of ${third?.serverId}`);
    for (const other of [first, second]) expect(refused.detail).not.toContain(other?.serverId);
    // A client that knows only the first server, such as an earlier version of the command.
    const old = await sealed(project, "KEY", "only-a-test", keys.slice(0, 1));
    expect(await problemOf(await patch(project, old))).toMatchObject({ code: "secrets_not_sealed" });
    expect((await patch(project, await sealed(project, "KEY", "1", [...keys, stranger]))).status).toBe(200);
  });

  it("refuses a secret while one of them has no key", async () => {
    const { project } = await createFleet(2);
    const [added] = await addServers(project, ["never-connected"]);
    const serverId = added?.serverId ?? "";
    expect(serversOf(await project.variables())).toContainEqual({ server_id: serverId, seal_key: null });
    const body = { set: [{ name: "KEY", value: "only-a-test", secret: true }] };
    const refused = await problemOf(await patch(project, body));
    expect(refused).toMatchObject({ code: "no_seal_key", detail: expect.stringContaining(serverId) });
    const plain = await patch(project, { set: [{ name: "URL", value: "1" }] });
    expect(plain.status).toBe(200);
  });

  it("refuses a start after a server was added, until the older secrets are entered again", async () => {
    const fleet = await createFleet(1);
    const { project, servers } = fleet;
    await project.set(
      { name: "OLD", value: "one", secret: true },
      { name: "URL", value: "https://shop.test" },
    );
    const [added] = await addServers(project, ["web-2"]);
    if (added === undefined) throw new Error("one was added");
    const { agent, serverId } = added;
    const keys = await connectWithKeys(agent, project.token);
    await project.set({ name: "NEW", value: "two", secret: true });
    expect((await project.variables()).not_sealed).toEqual(["OLD"]);
    const start = () => project.post(`/v1/projects/${project.id}/deployments`, {});
    const refused = await problemOf(await start());
    expect(refused).toMatchObject({ status: 409, code: "secrets_not_sealed" });
    const reason = "because they were sealed for other keys: OLD. Enter them again, or remove them.";
    expect(refused.detail).toBe(`web-2 cannot open these secrets, ${reason}`);
    // The server gets no box, and nothing has sealed the value again.
    expect(await openedOn({ serverId, keys }, fleet)).toEqual({ OLD: null, NEW: "two" });

    await project.set({ name: "OLD", value: "three", secret: true });
    expect((await project.variables()).not_sealed).toEqual([]);
    for (const server of [...servers, { serverId, keys }])
      expect(await openedOn(server, fleet)).toEqual({ OLD: "three", NEW: "two" });
    expect((await start()).status).toBe(201);
  });

  it("reads its servers once for a start, not once for each secret", async () => {
    const { project, rows } = await createFleet(4);
    const secretsTo = async (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `S${at}`);
      await project.set(...names.map((name) => ({ name, value: "only-a-test", secret: true })));
      return await rowsReadFor(async () => {
        const found = await findProjectToDeploy(rows, project.id, "current");
        expect(found?.variables.notSealed).toEqual([]);
      });
    };
    const few = await secretsTo(5);
    const ofEach = ((await secretsTo(25)) - few) / 20;
    expect(few).toBeLessThan(50);
    expect(ofEach).toBeLessThan(2);
  });

  it("seals once for two servers with the same key, such as a copied machine", async () => {
    const { project, servers } = await createFleet(1);
    const [added] = await addServers(project, ["copy"]);
    const keys = servers[0]?.keys;
    if (added === undefined || keys === undefined) throw new Error("two servers");
    await connectWithKeys(added.agent, project.token, keys);
    await project.set({ name: "KEY", value: "only-a-test", secret: true });
    const body = await sealed(project, "OTHER", "sealed-by-me", [keys, keys]);
    expect((await patch(project, body)).status).toBe(200);
    const fingerprints = [keys.sealKey.fingerprint];
    const { variables, not_sealed } = await project.variables();
    expect([variables.map((one) => one.secret && one.sealed_for), not_sealed]).toEqual([
      [fingerprints, fingerprints],
      [],
    ]);
    expect((await project.post(`/v1/projects/${project.id}/deployments`, {})).status).toBe(201);
  });

  it("gives each of them the repository's token, from the project's creation on", async () => {
    const { project: other, rows, servers } = await createFleet(2);
    const ids = servers.map(({ serverId }) => ({ id: serverId }));
    const created = await other.post("/v1/projects", {
      ...{ name: "store", server_id: ids[0]?.id, servers: ids },
      repository: "https://ci:the-token@git.example.com/me/shop.git",
    });
    const { id, repository } = Project.parse(await created.json());
    expect(await tokensOn(servers, rows, id, repository, 1)).toEqual(["the-token", "the-token"]);

    const stranger = (await enrolAgent(other.token, "never-connected")).serverId;
    const renewed = "https://ci:new-token@git.example.com/me/shop.git";
    const change = (settings: object) => other.call("PATCH", `/v1/projects/${id}`, settings);
    const refused = await change({ repository: renewed, servers: [...ids, { id: stranger }] });
    expect(await problemOf(refused)).toMatchObject({ code: "no_seal_key" });
    expect((await change({ repository: renewed, servers: ids.toReversed() })).status).toBe(200);
    expect(await tokensOn(servers, rows, id, repository, 2)).toEqual(["new-token", "new-token"]);
  });
});

describe("a sealed secret is refused", () => {
  const fingerprints = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const boxes = (count: number, length = 107) =>
    Array.from({ length: count }, (_, at) => ({
      fingerprint: (fingerprints[at] ?? "").repeat(22),
      box: "A".repeat(length),
    }));
  const ciphertext = "A".repeat(64);

  it.each([
    ["for 51 servers", { sealed: boxes(51), ciphertext }, "/set/0/sealed"],
    ["for 6 servers with the value in each box", { sealed: boxes(6) }, "/set/0/sealed"],
    ["for no server", { sealed: [], ciphertext }, "/set/0/sealed"],
    ["with a fingerprint twice", { sealed: [...boxes(2), ...boxes(1)], ciphertext }, "/set/0/sealed"],
    ["with a fingerprint twice, without ciphertext", { sealed: [...boxes(1), ...boxes(1)] }, "/set/0/sealed"],
    ["with a box that is too long for a key", { sealed: boxes(2, 108), ciphertext }, "/set/0/sealed"],
    ["with a box that is too short for a key", { sealed: boxes(2, 106), ciphertext }, "/set/0/sealed"],
    ["with a box that is not base64url", { sealed: boxes(2, 109) }, "/set/0/sealed"],
    [
      "with a box in another alphabet",
      { sealed: [{ fingerprint: "A".repeat(22), box: "+".repeat(64) }] },
      "/set/0/sealed/0/box",
    ],
    ["with a ciphertext for one server", { sealed: boxes(1), ciphertext }, "/set/0/ciphertext"],
    ["with a ciphertext without boxes", { ciphertext }, "/set/0"],
    ["with a ciphertext beside a value", { value: "only-a-test", ciphertext }, "/set/0/ciphertext"],
    [
      "with a ciphertext that is not base64url",
      { sealed: boxes(2), ciphertext: "A".repeat(65) },
      "/set/0/ciphertext",
    ],
    [
      "with a ciphertext that is too short",
      { sealed: boxes(2), ciphertext: "A".repeat(37) },
      "/set/0/ciphertext",
    ],
    [
      "with a ciphertext of more than 32 KiB",
      { sealed: boxes(2), ciphertext: "A".repeat(43_732) },
      "/set/0/ciphertext",
    ],
  ])("%s", async (_name, secret, pointer) => {
    const project = await TestProject.create();
    const body = { revision: 0, set: [{ name: "KEY", secret: true, ...secret }] };
    const problem = await problemOf(await patch(project, body));
    expect(problem).toMatchObject({
      ...{ status: 422, code: "invalid_request" },
      errors: expect.arrayContaining([{ pointer, message: expect.any(String) }]),
    });
    expect(JSON.stringify(problem)).not.toMatch(/AAAAAAA|only-a-test/);
  });
});
