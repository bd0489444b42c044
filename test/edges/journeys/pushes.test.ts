import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { HookWithSecret, type Push, PushRows } from "#contract/endpoints/hooks/schemas.ts";
import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { serveStatusApi, type StatusApi } from "../../support/forge/status-api.ts";
import { fakeGitea } from "../../support/receivers/forges.ts";
import { serveWebhookReceiver, type WebhookReceiver } from "../../support/receivers/webhook-receiver.ts";
import { type Forge, type ForgeRepository, type HookKind, serveForge } from "../../support/forge/forge.ts";
import { pushTo } from "../../support/forge/push.ts";
import { createCertificate, type TestCertificate } from "../../support/git-server.ts";
import { createRepository, type Repository } from "../../support/journey-repository.ts";
import { createHome, removeHome, startSystem, type System } from "../../support/journey-system.ts";
import { CONDITION_MS } from "../../support/patience.ts";

/** The agent polls every 3 s, and each half a minute where a hook reports pushes. */
const AGENT_SETTINGS = { watchSecondMs: 10 };

/** More than the server reads at once, and than the hook's delivery waits for. */
const PROJECTS = inject("sample").isWhole ? 30 : 12;
/** Each is a delivery of its own. */
const BRANCHES = inject("sample").isWhole ? 300 : 30;

const Requests = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }));
const Received = z.object({
  type: z.string(),
  data: z.object({ sequence: z.int(), deployment: z.object({ id: z.string() }) }),
});

let home: string;
let certificate: TestCertificate;
let forge: Forge;
let system: System;
let serverId: string;
let local: Repository;
let site: ForgeRepository;
let shop: Project;
let receiver: WebhookReceiver;
let webhook: Webhook;
let statusApi: StatusApi;
const statuses = fakeGitea("the-token");

beforeAll(async () => {
  home = await createHome();
  certificate = createCertificate(home);
  // The programs that `npm start` runs inherit them.
  process.env["GIT_SSL_CAINFO"] = certificate.cert;
  process.env["GANTRY_AGENT_SETTINGS"] = JSON.stringify(AGENT_SETTINGS);
  forge = await serveForge(join(home, "forge"), certificate);
  system = await startSystem(home);
  receiver = await serveWebhookReceiver();
  const standard = { kind: "standard", url: `${receiver.url}/hook/pushes`, events: ["deployment.*"] };
  webhook = new Webhook((await createWebhook(standard)).secret ?? "");
  statusApi = await serveStatusApi(statuses);
  await createWebhook({ kind: "commit_status", forge: "gitea", api_url: statusApi.url, token: "the-token" });
  serverId = (await system.api.getProject(system.local.project_id)).server_id;
  local = await createRepository(join(home, "local"));
  site = await createHooked("me/site", "gitea", "gitea");
  shop = await createProject("shop", site);
});
afterAll(async () => {
  delete process.env["GIT_SSL_CAINFO"];
  delete process.env["GANTRY_AGENT_SETTINGS"];
  forge.close();
  receiver.close();
  statusApi.close();
  await system.interrupt();
  await removeHome(home);
});

async function createHooked(name: string, host: HookForge, kind: HookKind): Promise<ForgeRepository> {
  const repository = await forge.createRepository(name);
  const created = await system.api.call("POST", "/v1/hooks", { forge: host, repository: repository.url });
  const { url, secret } = HookWithSecret.parse(created.json);
  await repository.addHook({ kind, url, secret });
  return repository;
}

function createProject(name: string, { url }: ForgeRepository, settings: Record<string, unknown> = {}) {
  const build_command = "if [ -e build.sh ]; then sh build.sh; fi";
  const own = { name, server_id: serverId, repository: url, build_command, output_directory: "." };
  return system.api.createProject({ ...own, ...settings });
}

async function createWebhook(settings: Record<string, unknown>): Promise<WebhookWithSecret> {
  return WebhookWithSecret.parse((await system.api.call("POST", "/v1/webhooks", settings)).json);
}

/** The types of the events that the receiver got of a deployment, each once, in the order of the events. */
async function receivedOf(id: string): Promise<string[]> {
  const requests = Requests.parse(await (await fetch(`${receiver.url}/control/pushes`)).json());
  // It throws if a signature is wrong.
  const events = requests.map(({ body, headers }) => Received.parse(webhook.verify(body, headers)));
  const ofIt = events.filter(({ data }) => data.deployment.id === id);
  return [...new Set(ofIt.toSorted((a, b) => a.data.sequence - b.data.sequence).map(({ type }) => type))];
}

/** The different states of a commit, the oldest first. */
const statesOf = (sha: string): string[] => [
  ...new Set((statuses.statuses.get(sha) ?? []).map(({ state }) => state)),
];

const push = (repository: ForgeRepository, ...refs: string[]): Promise<string> =>
  pushTo(repository, certificate, local, ...refs);

async function ledgerOf({ id }: Project): Promise<Push[]> {
  const rows: Push[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await system.api.call("GET", `/v1/projects/${id}/pushes?limit=100${from}`);
    const { pushes, next_cursor } = PushRows.parse(page.json);
    rows.push(...pushes);
    cursor = next_cursor;
  }
  return rows;
}

/** What a hook has reported, the oldest first. */
async function reportedTo(project: Project): Promise<Push[]> {
  return (await ledgerOf(project)).filter(({ source }) => source === "hook").toReversed();
}

/** Waits until no deployment is under way, and the commit is live. @returns the deployments, newest first */
async function settles({ id }: Project, sha: string) {
  return await expect
    .poll(async () => {
      const deployments = await system.api.listDeployments(id);
      const live = deployments.find(({ status }) => status === "live");
      return live?.commit_sha === sha && deployments.every(({ status }) => status !== "building");
    })
    .toBe(true);
}

async function pageOf({ id }: Project): Promise<string> {
  const { url } = await system.api.getProject(id);
  return await (await fetch(url ?? "")).text();
}

describe("a push", () => {
  it("changes the site, and the forge's answer says so", async () => {
    const sha = await local.commit({ "index.html": "one" });
    const printed = await push(site, "main");
    expect(printed).toContain('hook answered 200: {"decision":"deployed"');
    await settles(shop, sha);
    expect(await pageOf(shop)).toBe("one");
    const [row] = await reportedTo(shop);
    const live = await system.api.getDeployment(row?.deployment_id ?? "");
    expect(live).toMatchObject({
      status: "live",
      trigger: "push",
      actor: { type: "hook", name: expect.stringMatching(/^alice/) },
    });
    const types = ["started", "building", "live"].map((what) => `deployment.${what}`);
    await expect.poll(() => receivedOf(live.id)).toEqual(types);
    await expect.poll(() => statesOf(sha)).toEqual(["pending", "success"]);
    expect(row).toMatchObject({ ref: "refs/heads/main", before: null, after: sha, decision: "deployed" });
  });

  it("that does not build leaves the site as it is", async () => {
    const sha = await local.commit({ "index.html": "two", "build.sh": "echo the reason; exit 3" });
    await push(site, "main");
    const [row] = (await ledgerOf(shop)).filter(({ headline }) => headline?.includes("build.sh"));
    expect(await system.api.ended(row?.deployment_id ?? "")).toMatchObject({
      status: "failed",
      failure: { code: "build_failed" },
    });
    expect(await pageOf(shop)).toBe("one");
    await expect.poll(() => statesOf(sha)).toEqual(["pending", "failure"]);
    const types = ["started", "building", "failed"].map((what) => `deployment.${what}`);
    await expect.poll(() => receivedOf(row?.deployment_id ?? "")).toEqual(types);
    await local.commit({ "build.sh": null });
    await push(site, "main");
    await settles(shop, await local.git("rev-parse", "main"));
  });

  it("that is reported late, twice and in another order ends with the branch's tip live", async () => {
    const before = (await reportedTo(shop)).length;
    await site.hold(true);
    for (const page of ["three", "four"]) {
      await local.commit({ "index.html": page });
      await push(site, "main");
    }
    await site.hold(false);
    const [third, fourth] = (await site.deliveries()).slice(-2);
    if (third === undefined || fourth === undefined) throw new Error("nothing was stored");
    await site.deliver([fourth]);
    await settles(shop, fourth.after);
    await site.deliver([third]);
    await site.deliver([fourth, fourth, third]);
    await settles(shop, fourth.after);
    expect(await pageOf(shop)).toBe("four");
    const rows = (await reportedTo(shop)).slice(before);
    expect(rows.map(({ after, decision, reason }) => [after, decision, reason])).toEqual([
      [fourth.after, "deployed", null],
      [third.after, "deployed", null],
      ...[fourth.after, fourth.after, third.after].map((after) => [after, "ignored", "duplicate"]),
    ]);
  });

  it("that the hook never reports is found by the server's agent, and the ledger says so", async () => {
    await system.api.call("PATCH", `/v1/projects/${shop.id}`, { deploy_on: { poll: true } });
    await site.hold(true);
    const sha = await local.commit({ "index.html": "five" });
    await push(site, "main");
    await site.hold(false);
    await settles(shop, sha);
    expect(await pageOf(shop)).toBe("five");
    const [row] = await ledgerOf(shop);
    expect(row).toMatchObject({
      source: "poll",
      after: sha,
      decision: "deployed",
      detail: expect.stringContaining("The hook has not reported this push."),
    });
    await system.api.call("PATCH", `/v1/projects/${shop.id}`, { deploy_on: { poll: false } });
  });

  it("of many branches starts nothing for a project that deploys main, and each is explained", async () => {
    const before = (await reportedTo(shop)).length;
    const names = Array.from({ length: BRANCHES }, (_, index) => `refs/heads/topic-${index}`);
    const head = await local.git("rev-parse", "main");
    const { length } = await system.api.listDeployments(shop.id);
    await push(site, ...names.map((name) => `main:${name}`));
    const rows = (await reportedTo(shop)).slice(before);
    expect(new Set(rows.map(({ ref }) => ref))).toEqual(new Set(names));
    for (const row of rows)
      expect(row).toMatchObject({
        before: null,
        after: head,
        decision: "ignored",
        reason: "branch_not_watched",
      });
    expect(await system.api.listDeployments(shop.id)).toHaveLength(length);
  });

  it("deploys each of many projects with its repository, or says why not", async () => {
    const mono = await createHooked("me/mono", "gitlab", "gitlab_signed");
    const names = Array.from({ length: PROJECTS }, (_, index) => `app-${index}`);
    const projects: Project[] = [];
    for (const name of names)
      projects.push(await createProject(name, mono, name === "app-7" ? { branch: "next" } : {}));
    const sha = await local.commit({ "index.html": "all" });
    await push(mono, "main");
    for (const project of projects) {
      // The server reads few repositories at once. What the delivery did not wait for is decided right after it.
      await expect
        .poll(async () => (await reportedTo(project)).map(({ reason }) => reason), {
          timeout: 2 * CONDITION_MS,
        })
        .not.toContain("repository_unread");
      const [row, ...others] = await reportedTo(project);
      expect(others).toEqual([]);
      if (project.name === "app-7") expect(row).toMatchObject({ reason: "branch_not_watched" });
      else {
        await settles(project, sha);
        expect(row).toMatchObject({ decision: "deployed", before: null, after: sha });
        expect(await pageOf(project)).toBe("all");
      }
    }
    const other = projects.find(({ name }) => name === "app-7") ?? shop;
    await push(mono, "main:next");
    await settles(other, sha);
    await push(mono, ":next");
    expect((await reportedTo(other)).map(({ decision, reason }) => [decision, reason])).toEqual([
      ["ignored", "branch_not_watched"],
      ["deployed", null],
      ["ignored", "ref_deleted"],
    ]);
  });
});
