import type {
  SignInStarted,
  StartProviderInput,
  StartSignInInput,
} from "#contract/endpoints/connections/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context, OpenContext } from "#worker/context.ts";
import { findConnection, findOpenConnection } from "#worker/db/connections/connection-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { startAt } from "#worker/operations/sign-in/provider-answer.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** Starts a sign-in by a provider. */
export async function startSignIn(
  context: OpenContext,
  { connection_id: id, binding_hash: bindingHash }: StartSignInInput,
): Promise<Result<SignInStarted, "not_found" | "provider_unreachable" | "rate_limited">> {
  const connection = await findOpenConnection(context.database, id);
  if (connection === null) return (await context.limitFailures()) ?? notFound("connection");
  return startedView(await startAt(context, connection, bindingHash, { act: "sign_in" }));
}

/** Asks a provider to confirm the session, or for an identity of its member. */
export async function startProvider(
  context: Context,
  { act, connection_id: id, binding_hash: bindingHash }: StartProviderInput,
): Promise<Result<SignInStarted, "not_found" | "provider_unreachable">> {
  const connection = await findConnection(context.rows, id);
  if (connection === null) return notFound("connection");
  const asking = { ...context, database: context.session.database };
  return startedView(await startAt(asking, connection, bindingHash, { act, tokenId: context.token.id }));
}

function startedView(started: Awaited<ReturnType<typeof startAt>>) {
  if (!started.ok) return started;
  return succeed({ url: started.value.url, expires_at: timestamp(started.value.expiresAt) });
}
