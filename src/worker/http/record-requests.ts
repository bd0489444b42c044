import type { Context as HonoContext, Next } from "hono";

import type { AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { OperationName } from "#contract/endpoints/endpoints.ts";
import {
  DeploymentId,
  FreezeId,
  HookId,
  type IdGenerator,
  InvitationId,
  MemberId,
  ProjectId,
  PushId,
  ServerId,
  TokenId,
  TrustRuleId,
  WebhookId,
} from "#contract/ids.ts";
import { reachOf } from "#contract/permissions.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findDeploymentStatus } from "#worker/db/deployments/find-deployment.ts";
import { unnamedEntryWrites } from "#worker/db/changes/change-writes.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { limitRefusals } from "#worker/http/rate-limit.ts";
import { errorLogLine } from "#worker/http/unexpected-error.ts";
import { eventActorOf } from "#worker/operations/changes/request-changes.ts";

/** These only ask a server's agent, or write to R2, and so have no write to D1 that could contain their entry. */
const ASKING: ReadonlySet<OperationName> = new Set([
  "uploadArtifactPart",
  "pauseProject",
  "resumeProject",
  "runCommand",
  "stopCommand",
  "runCronJob",
  "stopCronRun",
]);

/** The statuses of requests that were understood and refused. */
const REFUSED: ReadonlySet<number> = new Set([403, 404, 409, 412, 422]);

/** After the response has been sent. */
const DELAY_MS = 10;

type Clock = { now(): number };

/**
 * Adds entries to the audit log: for a refused request with a valid token, and for a request that only asks an agent.
 * All other entries are written with the change itself. Runs after the response, so it can neither delay nor fail the
 * request.
 */
export function recordRequests(clock: Clock, ids: IdGenerator) {
  return async (c: HonoContext<AppEnv>, next: Next): Promise<void> => {
    await next();
    const holder = c.get("holder");
    const called = c.get("called");
    const outcome = outcomeOf(c);
    if (holder === undefined || called === undefined || outcome === null) return;
    const named = ProjectId.safeParse(called.params["project_id"]).data ?? null;
    const target = targetOf(called.params);
    const entry = {
      id: (outcome.outcome === "done" ? c.get("keyedEntryId") : undefined) ?? ids.auditEntry(),
      createdAt: clock.now(),
      actor: eventActorOf(holder),
      ip: c.req.header("cf-connecting-ip") ?? null,
      requestId: c.get("requestId"),
      action: called.operation,
      ...outcome,
      target,
      changes: null,
    };
    const rows = new AccountRows(c.env.DB, holder.account.id);
    const write = async () => {
      await scheduler.wait(DELAY_MS);
      if (outcome.outcome !== "done" && (await limitRefusals(c.env, holder.token.id)) !== null) return;
      // The sender sees the entry if it sees the project. It must not learn which project an id of another belongs to.
      const visible = new AccountRows(c.env.DB, holder.account.id, reachOf(holder.permissions, null));
      const projectId = named ?? (await projectOf(visible, target));
      await rows.runTogether(unnamedEntryWrites(rows, { ...entry, projectId }));
    };
    const failed = (error: unknown) => console.error(errorLogLine(error, c.get("requestId"), c.req.raw));
    c.executionCtx.waitUntil(write().catch(failed));
  };
}

/** The project of a deployment that the sender can see. */
async function projectOf(visible: AccountRows, target: AuditTarget | null): Promise<ProjectId | null> {
  const id = target?.type === "deployment" ? DeploymentId.safeParse(target.id) : null;
  if (id === null || !id.success) return null;
  return (await findDeploymentStatus(visible, id.data))?.projectId ?? null;
}

/** The outcome for the audit log; null: none, or the operation has written the entry itself. */
function outcomeOf(c: HonoContext<AppEnv>) {
  const { req, res } = c;
  const refusal = c.get("refusal");
  const called = c.get("called");
  const isRead = req.method === "GET" || req.method === "HEAD";
  if (refusal !== undefined && REFUSED.has(res.status) && (!isRead || res.status === 403))
    return { outcome: "refused" as const, code: refusal };
  // Without an answer of the agent, the command may run.
  const mayHaveRun = res.ok || (called?.operation === "runCommand" && res.status === 503);
  const isAsking = called !== undefined && ASKING.has(called.operation);
  return isAsking && mayHaveRun ? { outcome: "done" as const, code: null } : null;
}

/** The parameters of a path that name what the request is about, the narrowest first. */
const TARGETS = [
  ["deployment_id", "deployment", DeploymentId],
  ["member_id", "member", MemberId],
  ["invitation_id", "invitation", InvitationId],
  ["freeze_id", "freeze", FreezeId],
  ["hook_id", "hook", HookId],
  ["push_id", "push", PushId],
  ["webhook_id", "webhook", WebhookId],
  ["token_id", "token", TokenId],
  ["trust_rule_id", "trust_rule", TrustRuleId],
  ["server_id", "server", ServerId],
  ["project_id", "project", ProjectId],
] as const;

function targetOf(params: Readonly<Record<string, string>>): AuditTarget | null {
  for (const [parameter, type, schema] of TARGETS) {
    const id = schema.safeParse(params[parameter]);
    if (id.success) return { type, id: id.data, name: null };
  }
  return null;
}
