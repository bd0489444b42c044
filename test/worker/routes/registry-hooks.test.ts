import { expect, it } from "vitest";

import { DeliveryAnswer, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import distributionPush from "../../support/deliveries/distribution-push.json" with { type: "json" };
import harborPush from "../../support/deliveries/harbor-push.json" with { type: "json" };
import { problemOf } from "../../support/worker/call.ts";
import { repositoriesAreRead, send } from "../../support/worker/deliveries.ts";
import { deploymentsOf, ofHook } from "../../support/worker/hooked.ts";
import { TestProject } from "../../support/worker/project.ts";

const repository = "docker://images.internal:5000/acme/shop";

/** A project whose repository has images, and whose agent is connected, with a hook. */
async function hooked(settings: Record<string, unknown> = {}) {
  const project = await TestProject.create({ repository, branch: "v1", ...settings });
  project.agent.containers = { engine: "podman", version: "5.4.2" };
  await project.agent.connect();
  await repositoriesAreRead();
  const created = await project.post("/v1/hooks", { forge: "registry", repository });
  return { project, hook: HookWithSecret.parse(await created.json()) };
}

/** Sends a body with the header that a registry is configured to send. */
const deliver = (hook: HookWithSecret, body: unknown, authorization = `Bearer ${hook.secret}`) =>
  send(hook, JSON.stringify(body), {
    "content-type": "application/vnd.docker.distribution.events.v2+json",
    authorization,
  });

async function delivered(hook: HookWithSecret, body: unknown): Promise<DeliveryAnswer> {
  const response = await deliver(hook, body);
  expect(response.status).toBe(200);
  return DeliveryAnswer.parse(await response.json());
}

/** An envelope of Distribution with another target. */
const about = (target: Record<string, unknown>) => ({
  events: distributionPush.events.map((event) => ({ ...event, target: { ...event.target, ...target } })),
});

it("deploys what a pushed tag names then, once for each delivery", async () => {
  const { project, hook } = await hooked();
  const answer = await delivered(hook, distributionPush);
  expect(answer).toMatchObject({
    decision: "deployed",
    deployments: [{ project: "shop", ref: "refs/heads/v1" }],
  });
  const order = await project.agent.orderOf(answer.deployments[0]?.id ?? "");
  expect(order.source).toMatchObject({ branch: "v1", commit: null });
  expect(await delivered(hook, distributionPush)).toMatchObject({
    decision: "ignored",
    ignored: [{ reason: "duplicate" }],
  });
  expect(await deploymentsOf(project)).toMatchObject([
    { trigger: "push", actor: { type: "hook", name: "ada, Registry of images" } },
  ]);
  const [, row] = await ofHook(project, hook);
  expect(row).toMatchObject({
    ref: "refs/heads/v1",
    after: distributionPush.events[0]?.target.digest.slice("sha256:".length),
    headline: "acme/shop:v1",
    decision: "deployed",
  });
});

it("deploys a push to Harbor", async () => {
  const { hook } = await hooked();
  expect(await delivered(hook, harborPush)).toMatchObject({ decision: "deployed" });
});

it("ignores layers, other tags and other repositories, and the hook still works", async () => {
  const { project, hook } = await hooked();
  const layer = about({ mediaType: "application/octet-stream", tag: undefined });
  expect(await delivered(hook, layer)).toMatchObject({
    decision: "ignored",
    detail: expect.stringContaining("not about a push"),
  });
  expect(await delivered(hook, about({ repository: "acme/api" }))).toMatchObject({
    decision: "ignored",
    detail: "The delivery is about acme/api. This hook accepts acme/shop.",
  });
  expect(await delivered(hook, about({ tag: "v2" }))).toMatchObject({
    decision: "ignored",
    ignored: [{ reason: "branch_not_watched" }],
  });
  expect(await deploymentsOf(project)).toEqual([]);
  const shown = await (await project.get(`/v1/hooks/${hook.id}`)).json();
  expect(shown).toMatchObject({ received_at: expect.any(String), refused_at: null });
});

it("refuses whatever does not have the secret in its header, and starts nothing", async () => {
  const { project, hook } = await hooked();
  for (const authorization of ["Bearer whsec_another", hook.secret, `Basic ${hook.secret}`, "Bearer "]) {
    const refused = await deliver(hook, distributionPush, authorization);
    expect(refused.status, authorization).toBe(401);
    expect(await problemOf(refused)).toMatchObject({
      code: "invalid_signature",
      detail: expect.stringContaining("Bearer, a space and the secret"),
    });
  }
  const unsigned = await send(hook, JSON.stringify(distributionPush), {});
  expect(await problemOf(unsigned)).toMatchObject({ code: "invalid_signature" });
  const forged = await send(hook, JSON.stringify(distributionPush), {
    "x-gitea-event": "push",
    authorization: `Bearer ${hook.secret}`,
  });
  expect(await problemOf(forged)).toMatchObject({
    detail: expect.stringContaining("headers of Gitea or Forgejo"),
  });
  await expect
    .poll(async () =>
      Object.fromEntries((await ofHook(project, hook)).map(({ reason, count }) => [reason, count])),
    )
    .toEqual({ bad_signature: 4, no_signature: 1, other_forge: 1 });
  expect(await deploymentsOf(project)).toEqual([]);
});

it("takes the old secret for a day after a rotation", async () => {
  const { project, hook } = await hooked();
  const rotated = HookWithSecret.parse(await (await project.post(`/v1/hooks/${hook.id}/rotate`, {})).json());
  expect((await deliver(hook, distributionPush)).status).toBe(200);
  expect((await deliver(rotated, harborPush)).status).toBe(200);
});

it("refuses a hook of another kind for images, and of a registry that nobody can check", async () => {
  const project = await TestProject.create();
  const problem = async (forge: string, address: string) =>
    (await problemOf(await project.post("/v1/hooks", { forge, repository: address }))).errors;
  expect(await problem("github", repository)).toMatchObject([{ pointer: "/forge" }]);
  expect(await problem("registry", "https://git.test/shop.git")).toMatchObject([{ pointer: "/forge" }]);
  for (const address of [
    "docker://docker.io/acme/shop",
    "docker://index.docker.io/shop",
    "docker://ada@ghcr.io/a/b",
  ])
    expect(await problem("registry", address), address).toMatchObject([
      { pointer: "/repository", message: expect.stringContaining("turn on `poll`") },
    ]);
});

it("serves all projects of the repository, whatever the login in their address", async () => {
  const { project, hook } = await hooked();
  await project.post("/v1/projects", {
    name: "staging",
    server_id: project.agent.serverId,
    repository: "docker://ada@images.internal:5000/acme/shop",
    branch: "v1",
  });
  await repositoriesAreRead();
  const { deployments } = await delivered(hook, distributionPush);
  expect(deployments.map(({ project: name }) => name)).toEqual(["shop", "staging"]);
});
