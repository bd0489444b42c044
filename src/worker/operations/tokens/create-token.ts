import { type Result, succeed } from "#contract/problems.ts";
import { allScopes } from "#contract/scopes.ts";
import type { CreateTokenInput, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { insertToken } from "#worker/db/tokens/token-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { newTokenSecret } from "#worker/operations/tokens/new-token-secret.ts";
import { refuseExcess, refuseUnknownProjects, tooMany } from "#worker/operations/refusals.ts";
import { tokenView } from "#worker/views/token-view.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a token with at most the rights of the token of the request. */
export async function createToken(
  context: Context,
  input: CreateTokenInput,
): Promise<Result<TokenWithSecret, "insufficient_scope" | "invalid_request" | "too_many">> {
  const scopes = allScopes.filter((scope) => input.scopes.includes(scope));
  const projectIds = input.project_ids === null ? null : [...new Set(input.project_ids)];
  const excess = excessOver(context.token, { scopes, projectIds });
  if (excess !== null) return refuseExcess(excess);
  const { secret, hash } = await newTokenSecret(context);
  const now = context.clock.now();
  const token = {
    id: context.ids.token(),
    kind: "token" as const,
    name: input.name,
    scopes,
    projectIds,
    createdAt: now,
    rotatedAt: null,
    expiresAt: now + input.expires_in_days * DAY_MS,
    previousExpiresAt: null,
    lastUsedAt: null,
  };
  const recorded = requestWrites(context, tokenChange("token.created", token));
  const insertion = await insertToken(context.rows, token, hash, recorded);
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed({ ...tokenView(insertion.token, now), token: secret });
    case "no_such_projects":
      return refuseUnknownProjects(input.project_ids ?? [], insertion.projectIds);
    case "too_many":
      return tooMany("tokens", "Revoke some. Expired tokens count until they are revoked.");
  }
}
