import type {
  ConnectionTest,
  TestConnectionInput,
  TestSignIn,
} from "#contract/endpoints/connections/schemas.ts";
import type { ConnectionId } from "#contract/ids.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { pick } from "#contract/lib/pick.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { adviceOnConfiguration, adviceOnPerson } from "#domain/sign-in/connection-advice.ts";
import { decideSignIn, type KnownPerson, trustedAddress } from "#domain/sign-in/decide-sign-in.ts";
import type { Claims } from "#domain/sign-in/provider-person.ts";
import type { Context } from "#worker/context.ts";
import { type ConnectionReading, findConnection } from "#worker/db/connections/connection-records.ts";
import { findKnownPerson } from "#worker/db/connections/sign-in-records.ts";
import { openIdConfigurations } from "#worker/identity/providers/provider.ts";
import { addressProblem } from "#worker/identity/providers/provider-fetch.ts";
import { refuseAllButOwner } from "#worker/operations/connections/owner-only.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { reachOf, readAnswer, type ReadAnswer, startAt } from "#worker/operations/sign-in/provider-answer.ts";
import { grantView } from "#worker/views/member-view.ts";

type TestRefusal = "not_found" | "person_required" | "reauthentication_required" | "sign_in_refused";

/** Tests a connection: its provider's configuration, and a sign-in that signs nobody in. */
export async function testConnection(
  context: Context,
  id: ConnectionId,
  { binding_hash: bindingHash, answer }: TestConnectionInput,
): Promise<Result<ConnectionTest, TestRefusal>> {
  const refused = refuseAllButOwner(context);
  if (refused !== null) return refused;
  const connection = await findConnection(context.rows, id);
  if (connection === null) return notFound("connection");
  if (answer !== undefined) return await endTest(context, connection, answer);
  const { problems, notes } = await testProvider(context, connection);
  const url =
    bindingHash === undefined || problems.length > 0
      ? null
      : await startTest(context, connection, bindingHash);
  return succeed({ problems, notes, url, sign_in: null });
}

async function testProvider(context: Context, { kind, issuer }: ConnectionReading) {
  if (kind === "github") {
    const problem = addressProblem(issuer, context.targetProblem);
    return { problems: problem === null ? [] : [problem], notes: [] };
  }
  const found = await openIdConfigurations.readAgain(issuer, reachOf(context));
  if (!found.ok) return { problems: [found.problem], notes: [] };
  const { issuer: now, code_challenge_methods_supported: methods } = found.value.metadata;
  const problems =
    now === issuer
      ? []
      : [`The provider now calls itself ${now} instead of ${issuer}. Create another connection for it.`];
  return { problems, notes: [...adviceOnConfiguration(methods)] };
}

async function startTest(context: Context, connection: ConnectionReading, bindingHash: string) {
  const asking = { ...context, database: context.session.database };
  const started = await startAt(asking, connection, bindingHash, { act: "test", tokenId: context.token.id });
  return started.ok ? started.value.url : null;
}

async function endTest(
  context: Context,
  connection: ConnectionReading,
  given: ProviderAnswer,
): Promise<Result<ConnectionTest, "sign_in_refused">> {
  const asking = { ...context, database: context.session.database };
  const answer = await readAnswer(asking, given, { act: "test", tokenId: context.token.id });
  if (!answer.ok) return succeed({ problems: [answer.refusal.detail], notes: [], url: null, sign_in: null });
  if (answer.value.connection.id !== connection.id)
    return refuse("sign_in_refused", "This sign-in was started for another connection. Start again.");
  const { connection: rules, person, claims } = answer.value;
  const known = await findKnownPerson(
    context.rows,
    {
      connectionId: connection.id,
      subject: person.subject,
      address: trustedAddress(rules, person),
      invitationHash: null,
    },
    context.clock.now(),
  );
  const { kind, issuer } = connection;
  const provider = { kind, host: new URL(issuer).hostname };
  const { problems, notes } = adviceOnPerson(rules, person, provider, claims["email"] !== undefined);
  return succeed({
    problems: [...problems],
    notes: [...notes],
    url: null,
    sign_in: signInView(answer.value, known),
  });
}

function signInView({ connection, person, claims }: ReadAnswer, known: KnownPerson): TestSignIn {
  const decided = decideSignIn(connection, person, known);
  const { subject, email, groups } = person;
  return {
    ...{ subject, email },
    groups: groups === null ? null : [...groups],
    claims: shownClaims(claims),
    member: decided.kind === "member" ? pick(decided.member, ["id", "name"]) : null,
    grants: decided.kind === "refuse" ? [] : decided.grants.map(grantView),
    problem: decided.kind === "refuse" ? decided.problem : null,
  };
}

const MAX_SHOWN = 2_000;

function shownClaims(claims: Claims): Record<string, string> {
  const shownValue = (value: unknown) =>
    (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, MAX_SHOWN);
  return mapValues(claims, shownValue);
}
