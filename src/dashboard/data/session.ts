import * as z from "zod/mini";

import { createClient } from "#client/client.ts";
import type { ClientResult } from "#client/send.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Signal } from "#dashboard/data/signal.ts";

const KEY = "gantry.session";

/** `session`: created by a sign-in link, and revoked on sign-out. `token`: a pasted API token, which stays valid. */
const Session = z.strictObject({ token: z.string(), kind: z.enum(["session", "token"]) });
export type Session = z.infer<typeof Session>;

/** `ended`: the session expired or was revoked. */
export type SessionState = Session | "none" | "ended";

/** Stored in the tab's sessionStorage: no cookie, and gone when the tab is closed. */
export const session = new Signal<SessionState>(read());

function read(): SessionState {
  const parsed = Session.safeParse(parseJson(sessionStorage.getItem(KEY) ?? ""));
  return parsed.success ? parsed.data : "none";
}

function save(state: SessionState): void {
  // Signing out also clears form drafts. They are kept only if the session expired.
  if (state === "none") sessionStorage.clear();
  else if (state === "ended") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(state));
  session.set(state);
}

const clientWith = (token: string | null) =>
  createClient({ baseUrl: location.origin, token, fetch: (url, init) => fetch(url, init) });

/** Exchanges the code of a sign-in link for a session. */
export async function signInWithCode(code: string): Promise<ClientResult<unknown>> {
  const before = session.value;
  const created = await clientWith(null).createSession({ body: { code } });
  if (!created.ok) return created;
  save({ token: created.value.token, kind: "session" });
  // The previous session is no longer used, so it is revoked.
  if (typeof before === "object" && before.kind === "session") void clientWith(before.token).endSession();
  return created;
}

/** Signs in with an API token until the tab is closed. */
export async function signInWithToken(token: string): Promise<ClientResult<unknown>> {
  const account = await clientWith(token).getAccount();
  if (account.ok) save({ token, kind: "token" });
  return account;
}

/** Stores the new secret of a rotated API token. */
export function replaceToken(token: string): void {
  save({ token, kind: "token" });
}

/** Revokes the session and removes it from the tab, even if revoking fails. @returns the result of revoking */
export async function signOut(): Promise<ClientResult<unknown> | null> {
  const state = session.value;
  const ending =
    typeof state === "object" && state.kind === "session" ? clientWith(state.token).endSession() : null;
  // Removed after the request, so that a tab that is closed in between has sent it.
  const result = await ending;
  save("none");
  return result;
}

/** Records that the control plane rejected the token. */
export function markEnded(): void {
  if (typeof session.value === "object") save("ended");
}
