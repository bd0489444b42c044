import { env } from "cloudflare:workers";

import { DeliveryAnswer, type HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { repositoryKey } from "#contract/forge.ts";
import type { AccountId, HookId, PushId } from "#contract/ids.ts";
import { bytesOf, toHex } from "#sealing/bytes.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { repositoryReadWrite } from "#worker/db/projects/project-repository.ts";
import { pushWrites } from "#worker/db/pushes/push-records.ts";
import { hooks } from "#worker/db/push-tables.ts";
import { ledgerRow } from "#worker/operations/pushes/ledger-rows.ts";
import giteaPush from "../deliveries/gitea-push.json" with { type: "json" };
import branchCreated from "../deliveries/github-branch-created.json" with { type: "json" };
import { ids } from "./account.ts";
import { call } from "./call.ts";

/** The secret of the hooks that `recordPush` adds. */
export const RECORDED_SECRET = "a-secret-of-the-tests";

export const SHA_BEFORE = "1".repeat(40);
export const SHA_AFTER = "2".repeat(40);

/** Adds a hook of GitHub for a project's repository, which its server has read, and a push that it ignored. */
export async function recordPush(
  accountId: AccountId,
  { id: projectId, name, repository }: Pick<Project, "id" | "name" | "repository">,
): Promise<{ readonly hookId: HookId; readonly pushId: PushId }> {
  const rows = new AccountRows(env.DB, accountId);
  const hookId = ids.hook();
  const receivedAt = Date.now();
  const hook = { id: hookId, forge: "github", repository, createdAt: receivedAt } as const;
  const insert = { ...hook, repositoryKey: repositoryKey(repository), secret: RECORDED_SECRET };
  const origin = {
    hookId,
    source: "hook",
    receivedAt,
    event: "push",
    deliveryId: null,
    bodyHash: null,
  } as const;
  const push = {
    ref: "refs/heads/next",
    before: SHA_BEFORE,
    after: SHA_AFTER,
    message: "Show prices",
    pusher: "alice",
    paths: null,
  };
  const decision = { decision: "ignored", reason: "branch_not_watched" } as const;
  const project = { id: projectId, name };
  const taken = { push, project, decision, detail: "not selected", deployment: null, liveSha: null };
  const added = ledgerRow(ids.push(), origin, taken);
  await rows.runTogether([
    rows.insert(hooks, insert),
    ...pushWrites(rows, [added]),
    repositoryReadWrite(rows, projectId, repository),
  ]);
  return { hookId, pushId: added.id };
}

/** As if the servers of all projects had read their repositories. */
export async function repositoriesAreRead(): Promise<void> {
  await env.DB.prepare("UPDATE projects SET read_repository = repository_key").run();
}

/** A push as Gitea reports it. */
export function giteaBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { repository } = giteaPush;
  return {
    ...giteaPush,
    repository: { ...repository, full_name: "shop" },
    ref: "refs/heads/main",
    ...changes,
  };
}

/** A push as GitHub reports it. */
export function githubBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const repository = { ...branchCreated.repository, full_name: "shop" };
  return { ...branchCreated, repository, ref: "refs/heads/main", ...changes };
}

/** HMAC-SHA256 in hex. */
export async function hmac(secret: string, body: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(body))));
}

type Receiving = Pick<HookWithSecret, "id" | "secret">;

/** Sends a request to a hook. */
export async function send(
  { id }: Pick<Receiving, "id">,
  raw: BodyInit,
  headers: Record<string, string>,
): Promise<Response> {
  return await call(`/v1/hooks/${id}/receive`, {
    method: "POST",
    raw,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Delivers a body to a hook of Gitea, with its signature. */
export async function deliver(
  hook: Receiving,
  body: unknown = giteaBody(),
  event = "push",
): Promise<Response> {
  const text = JSON.stringify(body);
  return await send(hook, text, {
    "x-gitea-event": event,
    "x-github-event": event,
    "x-gitea-delivery": "2f1b6a20-c5f0-11f0-8de9-0242ac120002",
    "x-gitea-signature": await hmac(hook.secret, text),
  });
}

/** As `deliver`, and fails if the delivery is not received. */
export async function delivered(hook: Receiving, body?: unknown, event?: string): Promise<DeliveryAnswer> {
  const response = await deliver(hook, body, event);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return DeliveryAnswer.parse(await response.json());
}
