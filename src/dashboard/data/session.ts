import * as z from "zod/mini";

import { createClient } from "#client/client.ts";
import type { ClientResult } from "#client/send.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Signal } from "#dashboard/data/signal.ts";

const KEY = "gantry.session";

/** Who is signed in: with a session, which signing out ends, or with an API token, which others may use too. */
const Session = z.strictObject({ token: z.string(), kind: z.enum(["session", "token"]) });
export type Session = z.infer<typeof Session>;

/** `ended`: there was one, and it does not count any more. */
export type SessionState = Session | "none" | "ended";

/** Kept for the tab, and for nobody else: no cookie, and gone when it is closed. */
export const session = new Signal<SessionState>(read());

function read(): SessionState {
  const parsed = Session.safeParse(parseJson(sessionStorage.getItem(KEY) ?? ""));
  return parsed.success ? parsed.data : "none";
}

function keep(state: SessionState): void {
  // With all that was typed and not sent, which outlives only a session that ended by itself.
  if (state === "none") sessionStorage.clear();
  else if (state === "ended") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(state));
  session.set(state);
}

const clientWith = (token: string | null) =>
  createClient({ baseUrl: location.origin, token, fetch: (url, init) => fetch(url, init) });

/** Trades the code of a sign-in link for a session. */
export async function signInWithCode(code: string): Promise<ClientResult<unknown>> {
  const before = session.value;
  const created = await clientWith(null).createSession({ body: { code } });
  if (!created.ok) return created;
  keep({ token: created.value.token, kind: "session" });
  // Nobody can use the one from before any more, so it is not left open until it ends by itself.
  if (typeof before === "object" && before.kind === "session") void clientWith(before.token).endSession();
  return created;
}

/** Uses an API token for as long as the tab is open. */
export async function signInWithToken(token: string): Promise<ClientResult<unknown>> {
  const account = await clientWith(token).getAccount();
  if (account.ok) keep({ token, kind: "token" });
  return account;
}

/** Goes on with another secret of the same API token. */
export function goOnWith(token: string): void {
  keep({ token, kind: "token" });
}

/** Ends the session. It is forgotten here in any case; what came of ending it there is the answer. */
export async function signOut(): Promise<ClientResult<unknown> | null> {
  const state = session.value;
  const ending =
    typeof state === "object" && state.kind === "session" ? clientWith(state.token).endSession() : null;
  // Kept until then, so that a tab that is closed at once has ended it.
  const result = await ending;
  keep("none");
  return result;
}

/** The control plane does not take the token any more. */
export function noteEnded(): void {
  if (typeof session.value === "object") keep("ended");
}
