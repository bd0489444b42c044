import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import {
  type CreateTrustRuleInput,
  MAX_TRUST_RULES,
  type TrustRule,
  type UpdateTrustRuleInput,
} from "#contract/endpoints/trust-rules/schemas.ts";
import { specOf } from "#contract/endpoints/trust-rules/providers.ts";
import type { TrustRuleId } from "#contract/ids.ts";
import { unescapeKey } from "#contract/lib/json-pointer.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { pick } from "#contract/lib/pick.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { excessOver, inOrder, onceEach } from "#domain/token-grant.ts";
import {
  checkTrust,
  problemOfRequiredClaims,
  type TrustProblem,
} from "#contract/endpoints/trust-rules/check-trust.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import {
  changeTrustRule,
  findTrustRule,
  insertTrustRule,
  removeTrustRule,
  type TrustRuleChanges,
  type TrustRuleReading,
} from "#worker/db/trust-rules/trust-rule-records.ts";
import { unknownProjects } from "#worker/db/projects/list-projects.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { personBehind, requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";
import { notFound, refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { refuseExcess, refuseUnknownProjects } from "#worker/operations/tokens/grant-refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { trustRuleView } from "#worker/views/trust-rule-view.ts";

type CreateTrustRuleRefusal =
  | "insufficient_scope"
  | "invalid_request"
  | "reauthentication_required"
  | "too_many";

/** Creates a trust rule. It can give at most the scopes and projects of the request's token. */
export async function createTrustRule(
  context: Context,
  input: CreateTrustRuleInput,
): Promise<Result<TrustRule, CreateTrustRuleRefusal>> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const trust = checkTrust(input);
  if (!trust.ok) return refuseTrust(trust.problem);
  const { issuer, claims } = trust.value;
  const problem = context.targetProblem(issuer);
  if (problem !== null)
    return refuseTrust({
      pointer: "/issuer",
      message: `cannot be reached from this installation. ${problem}`,
    });
  const scopes = inOrder(input.scopes);
  const projectIds = onceEach(input.project_ids);
  const excess = excessOver(context.permissions, { scopes, projectIds });
  if (excess !== null) return refuseExcess(excess, "trust rules");
  const rule: TrustRuleReading = {
    id: context.ids.trustRule(),
    name: input.name,
    provider: input.provider,
    issuer,
    subject: input.subject,
    audience: input.audience ?? context.origin,
    claims,
    scopes,
    projectIds,
    lifetimeMinutes: input.lifetime_minutes,
    createdAt: context.clock.now(),
    createdBy: personBehind(context),
    lastUsedAt: null,
  };
  const recorded = trustRuleWrites(context, "trust_rule.created", rule);
  const insertion = await insertTrustRule(context.rows, rule, context, recorded);
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed(trustRuleView(insertion.rule));
    case "no_such_projects":
      return refuseUnknownProjects(input.project_ids ?? [], insertion.projectIds);
    case "too_many":
      return (
        (await refuseEnded(context)) ??
        tooMany("trust rules", "Delete rules that no job uses.", MAX_TRUST_RULES)
      );
  }
}

/**
 * Changes a trust rule. The token of the request must have all scopes and projects that the rule has afterwards. If more
 * than the name or the lifetime changes, the tokens of its jobs are revoked.
 */
export async function updateTrustRule(
  context: Context,
  id: TrustRuleId,
  input: UpdateTrustRuleInput,
): Promise<Result<TrustRule, UpdateTrustRuleRefusal>> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  // If somebody else changes the rule between the read and the write, it is read and checked again.
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const changed = await tryUpdate(context, id, input);
    if (changed !== null) return changed;
  }
  return refuse("unavailable", "The trust rule is being changed by others. Try again.");
}

const MOST_TRIES = 3;

type UpdateTrustRuleRefusal =
  | "insufficient_scope"
  | "invalid_request"
  | "not_found"
  | "reauthentication_required"
  | "unavailable";

/** @returns null if the rule was changed meanwhile */
async function tryUpdate(
  context: Context,
  id: TrustRuleId,
  input: UpdateTrustRuleInput,
): Promise<Result<TrustRule, UpdateTrustRuleRefusal> | null> {
  const before = await findTrustRule(context.latestRows, id);
  if (before === null) return notFound("trust rule");
  const given = changesOf(before, input);
  const after = changedBy(before, given);
  const problem = given.claims === undefined ? null : problemOfRequiredClaims(before.provider, after.claims);
  if (problem !== null) return refuseTrust(problem);
  const excess = excessOver(context.permissions, after);
  if (excess !== null) return refuseExcess(excess, "trust rules");
  const changes = differences(shownOf(before), shownOf(after));
  const changed = Object.keys(changes);
  if (changed.length === 0) return succeed(trustRuleView(before));
  const revokesTokens = changed.some((name) => name !== "name" && name !== "lifetime_minutes");
  const recorded = trustRuleWrites(context, "trust_rule.updated", after, changes);
  const revokedAt = revokesTokens ? context.clock.now() : null;
  if ((await changeTrustRule(context.rows, before, given, revokedAt, context, recorded)) === "changed") {
    announceLater(context);
    return succeed(trustRuleView(after));
  }
  const unknown = await unknownProjects(context.latestRows, given.projectIds ?? []);
  if (unknown.length > 0) return refuseUnknownProjects(input.project_ids ?? [], unknown);
  return await refuseEnded(context);
}

function changesOf(before: TrustRuleReading, input: UpdateTrustRuleInput): TrustRuleChanges {
  const { claims } = input;
  return {
    name: input.name,
    audience: input.audience,
    claims: claims === undefined ? undefined : { ...specOf(before.provider)?.defaultClaims, ...claims },
    scopes: input.scopes === undefined ? undefined : inOrder(input.scopes),
    projectIds: input.project_ids === undefined ? undefined : onceEach(input.project_ids),
    lifetimeMinutes: input.lifetime_minutes,
  };
}

/** Deletes a trust rule, and revokes the tokens that jobs have got by it. */
export async function deleteTrustRule(context: Context, id: TrustRuleId): Promise<Result<null, "not_found">> {
  const rule = await findTrustRule(context.rows, id);
  if (rule === null) return notFound("trust rule");
  const recorded = trustRuleWrites(context, "trust_rule.deleted", rule);
  if (!(await removeTrustRule(context.rows, id, context.clock.now(), recorded)))
    return notFound("trust rule");
  announceLater(context);
  return succeed(null);
}

function changedBy(before: TrustRuleReading, given: TrustRuleChanges): TrustRuleReading {
  return {
    ...before,
    name: given.name ?? before.name,
    audience: given.audience ?? before.audience,
    claims: given.claims ?? before.claims,
    scopes: given.scopes ?? before.scopes,
    projectIds: given.projectIds === undefined ? before.projectIds : given.projectIds,
    lifetimeMinutes: given.lifetimeMinutes ?? before.lifetimeMinutes,
  };
}

/** The fields of a rule that can change and that the audit log records, by the names of the API. */
function shownOf(rule: TrustRuleReading) {
  return pick(trustRuleView(rule), [
    "name",
    "audience",
    "claims",
    "scopes",
    "project_ids",
    "lifetime_minutes",
  ]);
}

/** The writes that record a change of a trust rule. A new one is recorded with what it trusts and gives. */
function trustRuleWrites(
  context: Context,
  type: "trust_rule.created" | "trust_rule.updated" | "trust_rule.deleted",
  rule: TrustRuleReading,
  changes: AuditChanges = {},
): Write[] {
  const { id, name, provider, issuer, subject } = rule;
  const given = { issuer, subject, ...shownOf(rule) };
  return requestWrites(context, {
    event: {
      type,
      data: { trust_rule: { id, name, provider, issuer, subject }, changed: Object.keys(changes) },
    },
    target: { type: "trust_rule", id, name },
    projectId: null,
    changes: type === "trust_rule.created" ? mapValues(given, (after) => ({ before: null, after })) : changes,
  });
}

function refuseTrust({ pointer, message }: TrustProblem) {
  const field = unescapeKey(pointer.slice(1));
  return refuse("invalid_request", `The trust rule is invalid: ${field} ${message}.`, [{ pointer, message }]);
}
