import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Event } from "#contract/endpoints/events/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import type { StatusForge } from "#contract/endpoints/webhooks/settings.ts";
import { FORGE_TOKEN } from "../../support/receivers/token.ts";
import { deploymentEvent, PUSHED_SHA, SHA } from "../../support/sample-events.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { repositoriesAreRead } from "../../support/worker/deliveries.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { freezeTime } from "../../support/worker/frozen-time.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";

beforeEach(freezeTime);

async function deliver(webhook: TestWebhook, ...events: readonly Event[]): Promise<void> {
  await webhook.outlet().accept([...events]);
  await webhook.alarm();
}

describe.each(["slack", "discord", "teams", "ntfy"] as const)("a webhook to %s", (kind) => {
  it("tells of a failure and of the recovery, and of no other deployment that went live", async () => {
    const webhook = await TestWebhook.create({ kind, ...(kind === "ntfy" ? { topic: "deploys" } : {}) });
    await webhook.receiver.answers({ service: kind });
    const types = ["deployment.live", "deployment.failed", "deployment.live", "deployment.live"] as const;
    await deliver(webhook, ...types.map((type, at) => deploymentEvent(type, {}, { sequence: at + 1 })));
    const bodies = (await webhook.receiver.received()).map(({ body }) => body);
    expect(bodies).toEqual([
      expect.stringContaining("The build command exited with code 1"),
      expect.stringContaining("shop recovered"),
    ]);
    const states = (await webhook.deliveries()).map(({ state }) => state);
    expect(states).toEqual(["delivered", "delivered"]);
  });
});

const states: Readonly<Record<StatusForge, readonly string[]>> = {
  github: ["pending", "pending", "success"],
  gitlab: ["pending", "running", "success"],
  gitea: ["pending", "pending", "success"],
  bitbucket: ["INPROGRESS", "INPROGRESS", "SUCCESSFUL"],
};

/** A webhook for commit statuses, and a project whose server has read its repository at the forge. */
async function createStatusWebhook(forge: StatusForge, settings: Readonly<Record<string, unknown>> = {}) {
  const webhook = await TestWebhook.create((url) => ({
    kind: "commit_status",
    url: undefined,
    forge,
    api_url: url,
    token: FORGE_TOKEN,
    ...settings,
  }));
  await webhook.receiver.answers({ service: forge });
  const { token } = webhook.account;
  const { serverId } = await enrolAgent(token, "web-1");
  const repository = `https://${new URL(webhook.receiver.url).hostname}/alice/shop.git`;
  const created = await call("/v1/projects", {
    method: "POST",
    token,
    body: { name: "shop", server_id: serverId, repository },
  });
  await repositoriesAreRead();
  return { webhook, project: { id: Project.parse(await created.json()).id, repository } };
}

/** The posted statuses, each as its state and the end of its path. */
async function posted(webhook: TestWebhook): Promise<string[]> {
  return (await webhook.receiver.received()).map(({ method, path, body }) => {
    const state: unknown = body === "" ? method : (JSON.parse(body).state ?? method);
    return `${String(state)} ${path.replace(/\?.*/, "").split("/").slice(-2).join("/")}`;
  });
}

describe.each(["github", "gitlab", "gitea", "bitbucket"] as const)("a webhook to %s", (forge) => {
  it("sets the state of each commit until its deployment has ended", async () => {
    const { webhook, project } = await createStatusWebhook(forge);
    const types = ["deployment.started", "deployment.building", "deployment.live"] as const;
    for (const [at, type] of types.entries())
      await deliver(webhook, deploymentEvent(type, {}, { sequence: at + 1, ...project }));
    const told = (await posted(webhook)).map((one) => one.split(" ")[0]);
    expect(told).toEqual(states[forge]);
    const deliveries = await webhook.deliveries();
    expect(deliveries.map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"]);
    expect(JSON.stringify(deliveries)).not.toContain(FORGE_TOKEN);
  });
});

describe("a webhook to a forge", () => {
  it("sends only the newest state after an outage", async () => {
    const { webhook, project } = await createStatusWebhook("gitea");
    await webhook.receiver.answers({ status: 502 });
    await deliver(webhook, deploymentEvent("deployment.started", {}, { sequence: 1, ...project }));
    await webhook.receiver.answers({ service: "gitea" });
    await deliver(webhook, deploymentEvent("deployment.live", {}, { sequence: 2, ...project }));
    vi.setSystemTime(Date.now() + 10_000);
    await webhook.alarm();
    expect(await posted(webhook)).toEqual([`pending statuses/${SHA}`, `success statuses/${SHA}`]);
    expect((await webhook.deliveries()).map(({ state }) => state)).toEqual(["delivered", "replaced"]);
  });

  it("sends nothing about a repository that the project only names, until its server has read it", async () => {
    const { webhook, project } = await createStatusWebhook("gitea");
    const secret = project.repository.replace("alice/shop", "acme/secret");
    const { token } = webhook.account;
    const path = `/v1/projects/${project.id}`;
    await call(path, { method: "PATCH", token, body: { repository: secret } });
    await deliver(webhook, deploymentEvent("deployment.live", {}, { ...project, repository: secret }));
    expect(await posted(webhook)).toEqual([]);
    const [withheld] = await webhook.deliveries();
    expect(withheld).toMatchObject({
      state: "pending",
      attempts: [{ problem: expect.stringContaining("has not read the repository") }],
    });
    expect((await webhook.details()).state).toBe("active");
    await repositoriesAreRead();
    vi.setSystemTime(Date.now() + 10_000);
    await webhook.alarm();
    expect(await posted(webhook)).toEqual([`success statuses/${SHA}`]);
    const earlier = deploymentEvent("deployment.live", {}, { ...project, sequence: 2 });
    await deliver(webhook, earlier);
    expect((await webhook.deliveries())[0]?.attempts[0]?.problem).toBe(
      "The project no longer has this repository.",
    );
  });

  it("counts a state that the commit has already as delivered", async () => {
    const { webhook, project } = await createStatusWebhook("gitlab");
    await deliver(webhook, deploymentEvent("deployment.building", {}, { sequence: 1, ...project }));
    const second = { version: 13, id: deploymentEvent("deployment.live").data.deployment.id };
    await deliver(webhook, deploymentEvent("deployment.building", second, { sequence: 2, ...project }));
    expect((await webhook.deliveries()).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  it("creates one deployment of GitHub, also if the answer with its id is lost, and ends the pushed commit too", async () => {
    const { webhook, project } = await createStatusWebhook("github", { deployments: true });
    const pushed = { pushed_sha: PUSHED_SHA };
    const works = { service: "github" } as const;
    await webhook.receiver.answers(works, works, { ...works, instead: "reset" }, works);
    await deliver(webhook, deploymentEvent("deployment.building", pushed, { sequence: 1, ...project }));
    vi.setSystemTime(Date.now() + 5000);
    await webhook.alarm();
    await deliver(webhook, deploymentEvent("deployment.live", pushed, { sequence: 2, ...project }));
    const [created] = (await posted(webhook)).filter((one) => /\d\/statuses$/.test(one));
    const id = /(\d+)\/statuses$/.exec(created ?? "")?.[1];
    expect(await posted(webhook)).toEqual([
      `pending statuses/${SHA}`,
      "GET shop/deployments",
      "POST shop/deployments",
      `pending statuses/${SHA}`,
      "GET shop/deployments",
      `in_progress ${id}/statuses`,
      `success statuses/${SHA}`,
      `success statuses/${PUSHED_SHA}`,
      `success ${id}/statuses`,
    ]);
  });

  it("tests its token", async () => {
    const { webhook } = await createStatusWebhook("github", { token: "expired-token" });
    const tested = await webhook.request("/test", "POST", {});
    expect(await tested.json()).toMatchObject({ delivered: false, attempt: { status: 401 } });
  });
});

describe("a webhook for mail", () => {
  const email = { kind: "email", url: undefined, to: "ops@example.com" };

  it("sends by the binding of the installation", async () => {
    const webhook = await TestWebhook.create(email);
    await deliver(webhook, deploymentEvent("deployment.failed"));
    expect(await webhook.deliveries()).toMatchObject([{ state: "delivered", attempts: [{ problem: null }] }]);
  });

  it("says why the mail service did not accept a mail", async () => {
    const webhook = await TestWebhook.create(email);
    vi.spyOn(Reflect.get(env, "EMAIL"), "send").mockRejectedValue(
      Object.assign(new Error("sender is unknown"), { code: "E_SENDER_NOT_VERIFIED" }),
    );
    await deliver(webhook, deploymentEvent("deployment.failed"));
    const [delivery] = await webhook.deliveries();
    expect(delivery?.attempts[0]?.problem).toBe(
      "Cloudflare Email Service did not accept the mail: E_SENDER_NOT_VERIFIED.",
    );
  });

  it("is refused by an installation that cannot send mail", async () => {
    const { token } = await createAccount();
    const from = env.EMAIL_FROM;
    Reflect.set(env, "EMAIL_FROM", "");
    const body = { kind: "email", to: "ops@example.com" };
    const response = await call("/v1/webhooks", { method: "POST", token, body });
    Reflect.set(env, "EMAIL_FROM", from);
    expect(response.status).toBe(422);
    expect(await problemOf(response)).toMatchObject({
      code: "invalid_request",
      detail: expect.stringContaining("cannot send mail"),
      errors: [{ pointer: "/to" }],
    });
  });
});
