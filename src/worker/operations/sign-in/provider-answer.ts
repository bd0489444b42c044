import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { ConnectionId } from "#contract/ids.ts";
import type { Services } from "#worker/context.ts";
import type { Database } from "#worker/db/database-session.ts";
import { findOpenConnection, type OpenConnection } from "#worker/db/connections/connection-records.ts";
import type { UsedSecret } from "#worker/db/members/member-records.ts";
import { findChallengeKey } from "#worker/identity/passkeys/challenge-key.ts";
import { personAt, providerUrl } from "#worker/identity/providers/provider.ts";
import type { NamedPerson, ProviderConnection, Reach } from "#worker/identity/providers/provider-exchange.ts";
import {
  checkState,
  connectionIn,
  createState,
  type StateUse,
} from "#worker/identity/providers/sign-in-state.ts";
import { redirectUri } from "#worker/operations/sign-in/redirect-uri.ts";

/** What a sign-in by a provider needs, whether or not somebody is signed in already. */
export type ProviderContext = Pick<Services, "clock" | "origin" | "randomBytes" | "targetProblem"> & {
  readonly database: Database;
};

export function reachOf({ clock, targetProblem }: Pick<Services, "clock" | "targetProblem">): Reach {
  return { now: clock.now(), targetProblem };
}

type Started = { readonly url: string; readonly expiresAt: number };

/** Starts a sign-in: the address at which it continues. Nothing is stored. @param bindingHash SHA-256 of the tab's secret, in hex */
export async function startAt(
  context: ProviderContext,
  connection: ProviderConnection & { readonly id: ConnectionId },
  bindingHash: string,
  use: StateUse,
): Promise<Result<Started, "provider_unreachable">> {
  const now = context.clock.now();
  const key = await findChallengeKey(context.database, { now, randomBytes: context.randomBytes });
  const bound = { connectionId: connection.id, bindingHash, use };
  const { expiresAt, ...made } = await createState(key, bound, { now, randomBytes: context.randomBytes });
  const asked = { ...made, redirectUri: redirectUri(context), askingFor: askingFor(use) };
  const url = await providerUrl(connection, asked, reachOf(context));
  return url.ok ? succeed({ url: url.value, expiresAt }) : unreachable(url.problem);
}

function askingFor({ act }: StateUse) {
  return act === "confirm" ? ("confirmation" as const) : ("sign_in" as const);
}

function unreachable(problem: string) {
  return refuse("provider_unreachable", `The sign-in by the provider does not work. ${problem}`);
}

/** `state`: to mark as used in the batch that does what the answer is for. */
export type ReadAnswer = NamedPerson & { readonly connection: OpenConnection; readonly state: UsedSecret };

export type AnswerRefusal = "provider_unreachable" | "sign_in_refused";

const notStartedHere = refuse(
  "sign_in_refused",
  "This sign-in was not started in this tab of the browser, or was changed on its way. Start again.",
);

const expired = refuse("sign_in_refused", "The sign-in took more than 10 minutes. Start again.");

/** Two requests with one answer, or an answer that somebody sends again. */
export const usedBefore = refuse("sign_in_refused", "This sign-in is complete already. Start again.");

/** Reads a provider's answer: checks that it answers a sign-in of this tab, and asks the provider who it is. */
export async function readAnswer(
  context: ProviderContext,
  { query: text, binding }: ProviderAnswer,
  use: StateUse,
): Promise<Result<ReadAnswer, AnswerRefusal>> {
  const { clock, database, randomBytes } = context;
  const query = new URLSearchParams(text);
  const [given = "", ...more] = query.getAll("state");
  const connectionId = more.length === 0 ? connectionIn(given) : null;
  if (connectionId === null) return notStartedHere;
  const now = clock.now();
  const key = await findChallengeKey(database, { now, randomBytes });
  const checked = await checkState(key, given, { binding, use }, now);
  if (!checked.ok) return checked.problem === "expired" ? expired : notStartedHere;
  const connection = await findOpenConnection(database, connectionId);
  if (connection === null) return refuse("sign_in_refused", "This way to sign in was removed meanwhile.");
  const { state, nonce, verifier, hash: id, expiresAt } = checked.value;
  const answered = {
    ...{ query, state, nonce, verifier },
    redirectUri: redirectUri(context),
    askingFor: askingFor(use),
  };
  const named = await personAt(connection, answered, reachOf(context));
  if (!named.ok)
    return named.isTemporary ? unreachable(named.problem) : refuse("sign_in_refused", named.problem);
  return succeed({ ...named.value, connection, state: { id, expiresAt } });
}
