import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import type { TipMoved } from "#contract/agent-watch.ts";
import { Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { HookWithSecret, type Push, PushRows } from "#contract/endpoints/hooks/schemas.ts";
import { FoundPushes } from "#worker/objects/agent-link/found-pushes.ts";
import { sealForServers } from "#sealing/secret-box.ts";
import { newServerKeys } from "../../../support/seal-keys.ts";
import { SHA } from "../../../support/model/model-agent.ts";
import { Faults, setUpForFaults } from "../../../support/worker/faults.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { LEVEL } from "../../../support/connected-agent/agent-socket.ts";

const REPOSITORY = "https://git.example.com/me/shop.git";
const NEW = "f".repeat(40);
const HOUR_MS = 3_600_000;

setUpForFaults();

const linkOf = ({ agent }: TestProject) => env.AGENT_LINK.getByName(agent.serverId);

/** The branches of each `watch` message so far. */
function watches({ agent }: TestProject) {
  return agent.received.flatMap((message) => (message.type === "watch" ? [message.projects] : []));
}

/** Waits for a `watch` message after the first `count` of them. */
async function watched(project: TestProject, count = 0) {
  return await vi.waitFor(() => {
    const branches = watches(project).slice(count).at(-1);
    if (branches === undefined) throw new Error("no watch message");
    return branches;
  });
}

/** A project that asks its agent to look for pushes, with its first deployment live. */
async function createPolled(settings: Record<string, unknown> = {}): Promise<TestProject> {
  const project = await TestProject.connected({
    repository: REPOSITORY,
    deploy_on: { poll: true },
    ...settings,
  });
  await project.deploy();
  return project;
}

function find({ agent, id }: TestProject, change: Partial<TipMoved> = {}): void {
  agent.moved({
    ...{ project_id: id, repository: REPOSITORY, branch: "main", before: SHA },
    ...{ commit_sha: NEW, commit_message: "Change the title", paths: ["index.html"] },
    ...change,
  });
}

async function ledgerOf(project: TestProject): Promise<Push[]> {
  const read = await project.get(`/v1/projects/${project.id}/pushes`);
  return PushRows.parse(await read.json()).pushes;
}

async function deploymentsOf(project: TestProject) {
  const read = await project.get(`/v1/deployments?project_id=${project.id}`);
  return Deployments.parse(await read.json()).deployments;
}

async function ledgerHas(project: TestProject, count: number): Promise<Push[]> {
  return await vi.waitFor(async () => {
    const rows = await ledgerOf(project);
    expect(rows).toHaveLength(count);
    return rows;
  });
}

let reports = 0;

/** Waits until the link has dealt with everything that its agent has sent: it takes messages in order. */
async function isIdle(project: TestProject): Promise<void> {
  const link = linkOf(project);
  const disk = { total_bytes: 1e12, free_bytes: (reports += 1) };
  project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects: [] }));
  await vi.waitFor(async () => {
    const read = await project.get(`/v1/servers/${project.agent.serverId}`);
    expect(await read.json()).toMatchObject({ disk });
    const pending = await runInDurableObject(link, (_link, { storage }) =>
      new FoundPushes(storage.sql).pending(),
    );
    expect(pending).toEqual([]);
  });
}

async function createHook(project: TestProject): Promise<HookWithSecret> {
  const created = await project.post("/v1/hooks", { forge: "gitea", repository: REPOSITORY });
  return HookWithSecret.parse(await created.json());
}

describe("an agent is asked to watch", () => {
  it("the branch of a project that asks for it, from its first deployment on", async () => {
    const project = await TestProject.connected({ repository: REPOSITORY, deploy_on: { poll: true } });
    await project.deploy();
    expect(watches(project)).toEqual([]);
    await project.agent.connect();
    expect(await watched(project)).toEqual([
      {
        ...{ project_id: project.id, project_name: "shop", repository: REPOSITORY, branch: "main" },
        ...{ every_seconds: 300, settle_seconds: 0, known_sha: SHA },
      },
    ]);
  });

  it("another branch, or none, when the settings change", async () => {
    const project = await createPolled({ deploy_on: { poll: false } });
    await project.patch({ deploy_on: { poll: true } });
    expect(await watched(project)).toMatchObject([{ branch: "main" }]);
    await project.patch({ deploy_on: { branches: ["release/*"] } });
    expect(await watched(project, 1)).toEqual([]);
    await project.patch({ deploy_on: { branches: ["ma*"] } });
    expect(await watched(project, 2)).toMatchObject([{ branch: "main" }]);
    await project.patch({ deploy_on: { enabled: false } });
    expect(await watched(project, 3)).toEqual([]);
  });

  it("each hour the branches whose repository has a hook, which may report a push first", async () => {
    const project = await createPolled({ deploy_on: {} });
    await createHook(project);
    vi.setSystemTime(Date.now() + HOUR_MS);
    project.agent.status([]);
    expect(await watched(project)).toMatchObject([{ every_seconds: 3600, settle_seconds: 60 }]);
  });

  it("with the repository's token as sealed for its server", async () => {
    const { project } = await TestProject.withKeys({ repository: REPOSITORY, deploy_on: { poll: true } });
    await project.deploy();
    await project.set({ name: "GANTRY_REPOSITORY_TOKEN", value: "the-token", secret: true });
    const [branch] = await watched(project);
    expect(branch).toMatchObject({ project_id: project.id, token: { revision: 1 } });
    expect(JSON.stringify(project.agent.received)).not.toContain("the-token");
  });

  it("with the repository's token as sealed for several servers, without the other servers' boxes", async () => {
    const settings = { repository: REPOSITORY, deploy_on: { poll: true } };
    const { project, keys } = await TestProject.withKeys(settings);
    await project.deploy();
    const { sealKey: other } = await newServerKeys();
    const { account_id, project_id } = await project.variables();
    const place = { account_id, project_id, name: "GANTRY_REPOSITORY_TOKEN", revision: 1 };
    const sealed = await sealForServers([other.public_key, keys.sealKey.public_key], place, "the-token");
    const set = [{ name: "GANTRY_REPOSITORY_TOKEN", secret: true, ...sealed }];
    const changed = await project.call("PATCH", project.variablesPath, { revision: 0, set });
    expect(changed.status).toBe(200);
    const [branch] = await watched(project);
    const { fingerprint } = keys.sealKey;
    const token = { revision: 1, sealed: { fingerprint, ciphertext: sealed?.ciphertext } };
    expect(branch).toMatchObject({ project_id: project.id, token });
    expect(JSON.stringify(project.agent.received)).not.toContain(other.fingerprint);
  });
});

describe("a push that an agent has found", () => {
  it("starts a deployment of the branch, and is in the ledger", async () => {
    const project = await createPolled();
    find(project);
    const [row] = await ledgerHas(project, 1);
    expect(row).toMatchObject({
      ...{ source: "poll", hook_id: null, ref: "refs/heads/main", before: SHA, after: NEW },
      ...{ headline: "Change the title", pusher: null, decision: "deployed", reason: null, detail: null },
    });
    const deployment = await project.deployment(row?.deployment_id ?? "");
    expect(deployment).toMatchObject({
      trigger: "poll",
      actor: { type: "server", id: project.agent.serverId },
    });
    const order = await project.agent.orderOf(deployment.id);
    expect(order.source).toMatchObject({ branch: "main", commit: null });
  });

  it("is in the ledger with a sentence that the hook has not reported it", async () => {
    const project = await createPolled();
    const hook = await createHook(project);
    find(project);
    const detail = "The hook has not reported this push. The server's agent has found it.";
    expect(await ledgerHas(project, 1)).toMatchObject([{ hook_id: hook.id, detail, decision: "deployed" }]);
  });

  it("starts nothing if the settings skip it, which is in the ledger once", async () => {
    const project = await createPolled({ deploy_on: { poll: true, ignore_paths: ["docs"] } });
    find(project, { paths: ["docs/index.md"] });
    find(project, { commit_sha: "e".repeat(40), commit_message: "Write\n\n[skip deploy]" });
    expect(await ledgerHas(project, 2)).toMatchObject([
      { reason: "skip_marker", deployment_id: null },
      { reason: "paths_unchanged", deployment_id: null },
    ]);
    find(project, { commit_sha: "e".repeat(40) });
    await isIdle(project);
    expect(await ledgerOf(project)).toHaveLength(2);
  });

  it("starts nothing if a deployment waits to fetch the branch, or had its commit before a rollback", async () => {
    const project = await createPolled();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    find(project);
    await isIdle(project);
    await project.agent.completes(order);
    await project.reaches(id, "live");
    await project.rollBack();
    find(project, { before: NEW, commit_sha: SHA });
    await isIdle(project);
    expect(await deploymentsOf(project)).toHaveLength(3);
    expect(await ledgerOf(project)).toEqual([]);
  });

  it("starts a deployment if the branch went back to a commit of an earlier deployment", async () => {
    const project = await createPolled();
    find(project);
    const [moved] = await ledgerHas(project, 1);
    await project.agent.orderOf(moved?.deployment_id ?? "");
    await project.post(`/v1/deployments/${moved?.deployment_id}/cancel`, {});
    find(project, { before: NEW, commit_sha: SHA });
    await isIdle(project);
    // The canceled deployment has not fetched anything yet, so it no longer counts.
    expect(await ledgerHas(project, 2)).toMatchObject([{ after: SHA, decision: "deployed" }, { after: NEW }]);
  });

  it("starts nothing for another repository or branch, and for a project that is not watched", async () => {
    const project = await createPolled();
    find(project, { repository: "https://git.example.com/me/other.git" });
    find(project, { branch: "release" });
    await project.patch({ deploy_on: { poll: false } });
    find(project);
    await isIdle(project);
    const other = await createPolled();
    other.agent.moved({
      ...{ project_id: project.id, repository: REPOSITORY, branch: "main", before: SHA },
      ...{ commit_sha: NEW, commit_message: "", paths: null },
    });
    await isIdle(other);
    expect(await ledgerOf(project)).toEqual([]);
    expect(await deploymentsOf(project)).toHaveLength(1);
  });

  it("replaces an earlier one of the project that was not compared yet", async () => {
    const project = await TestProject.create();
    const pending = await runInDurableObject(linkOf(project), (_link, { storage }) => {
      const found = new FoundPushes(storage.sql);
      const place = { project_id: project.id, repository: REPOSITORY, branch: "main", before: SHA };
      const tip = { type: "tip_moved", ...place, commit_sha: SHA, commit_message: "", paths: null } as const;
      for (const commit_sha of [SHA, NEW]) found.add({ ...tip, commit_sha }, 1);
      const [compared] = found.pending();
      if (compared !== undefined) found.save({ ...compared, finder: { serverName: "web-1", hookId: null } });
      for (const at of [2, 3]) found.add(tip, at);
      return found.pending().map(({ foundAt, tip: { commit_sha } }) => `${foundAt} ${commit_sha}`);
    });
    expect(pending.toSorted()).toEqual([`1 ${NEW}`, `3 ${SHA}`]);
  });

  it.each(["answer lost", "killed"] as const)(
    "starts one deployment, and is in the ledger once, if any call is %s",
    async (kind) => {
      for (let at = 0; ; at += 1) {
        const project = await createPolled();
        await isIdle(project);
        const faults = new Faults();
        faults.count(at, kind, [() => linkOf(project), () => env.PROJECT_LANE.getByName(project.id)]);
        find(project);
        await vi.waitFor(async () => {
          await runDurableObjectAlarm(linkOf(project));
          expect(await ledgerOf(project)).toHaveLength(1);
        });
        const calls = faults.stop();
        expect(await deploymentsOf(project)).toHaveLength(2);
        if (calls.length <= at) return;
      }
    },
  );
});
