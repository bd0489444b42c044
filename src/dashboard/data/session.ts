import * as z from "zod/mini";

import { createClient } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";
import type { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import { clearTab, keepSignOutUrl } from "#dashboard/data/pending-sign-in.ts";
import { signWithPasskey } from "#dashboard/data/passkeys.ts";
import { reloadWatched } from "#dashboard/data/resource.ts";
import { Signal } from "#dashboard/data/signal.ts";

const KEY = "gantry.session";
/** In sessionStorage: the account that this tab's form drafts belong to. */
const OWNER_KEY = "gantry.drafts";
/** For every request but the log stream, which has a timeout of its own. */
export const REQUEST_TIMEOUT_MS = 20_000;

/**
 * `session`: created by a sign-in, and revoked on sign-out. `token`: a pasted API token, which stays valid.
 * `account`: the id of its account; null if it could not be read.
 */
const Session = z.strictObject({
  token: z.string(),
  kind: z.enum(["session", "token"]),
  account: z.nullable(z.string()),
});
export type Session = z.infer<typeof Session>;

const Stored = z.union([Session, z.literal("ended")]);

/** `ended`: the session expired or was revoked. */
export type SessionState = Session | "none" | "ended";

/**
 * Stored in localStorage: all tabs of the browser share it, and a new tab is signed in. No cookie, so the browser sends
 * it with no request by itself. Each tab follows the stored session.
 */
export const session = new Signal<SessionState>(atStart());

/** Follows what other tabs store. Call it once. */
export function followSession(): void {
  globalThis.addEventListener("storage", sync);
  // A page that the browser kept for its back button has missed the events.
  globalThis.addEventListener("pageshow", sync);
}

function atStart(): SessionState {
  const state = read();
  // The browser restores the drafts of a tab that is opened again, and another account may have signed in since.
  removeDraftsOfOthers(state);
  return state;
}

function read(): SessionState {
  const parsed = Stored.safeParse(parseJson(localStorage.getItem(KEY) ?? ""));
  return parsed.success ? parsed.data : "none";
}

const tokenOf = (state: SessionState) => (typeof state === "object" ? state.token : state);

/** Takes over the session that another tab has stored. */
function sync(): void {
  const mine = session.value;
  const stored = read();
  if (tokenOf(mine) === tokenOf(stored)) return;
  const isOtherAccount =
    typeof mine === "object" &&
    typeof stored === "object" &&
    (stored.account === null || stored.account !== mine.account);
  // Nothing that this tab has read of one account may be shown in another one.
  if (isOtherAccount) {
    clearTab();
    return location.reload();
  }
  set(stored);
  // The new session may have other permissions and ends at another time.
  if (typeof mine === "object" && typeof stored === "object") reloadWatched();
}

function set(state: SessionState): void {
  removeDraftsOfOthers(state);
  session.set(state);
}

/**
 * Deletes this tab's form drafts, unless they are of the account that is signed in. After the end of a session they stay
 * for a new session of the same account; signing out, in any tab, deletes them.
 */
function removeDraftsOfOthers(state: SessionState): void {
  if (state === "ended") return;
  // A session whose account could not be read keeps none either: it may be of another account.
  const owner = state === "none" ? null : state.account;
  if (owner !== null && sessionStorage.getItem(OWNER_KEY) === owner) return;
  clearTab();
  if (owner !== null) sessionStorage.setItem(OWNER_KEY, owner);
}

function save(state: SessionState): void {
  if (state === "none") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(state));
  set(state);
}

const transportWith = (token: string | null, options: RequestInit = {}): Transport => ({
  baseUrl: location.origin,
  token,
  fetch: (url, init) => fetch(url, { ...init, ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }),
});
const clientWith = (token: string | null, options?: RequestInit) =>
  createClient(transportWith(token, options));

/** Sends requests without a session, so that a refused code does not end the session of this browser. */
export const openTransport: Transport = transportWith(null);

/** Revokes a session that this browser no longer uses. The browser sends the request even if the tab is closed. */
function revoke({ kind, token }: Session): void {
  // A pasted API token stays valid: programs may use it.
  if (kind === "session") void clientWith(token, { keepalive: true }).endSession();
}

/** Signs in with the code of a sign-in link, a recovery code, the signature with a passkey, or the answer of a provider. */
export async function signInWith(body: CreateSessionInput): Promise<ClientResult<SessionCreated>> {
  const created = await clientWith(null).createSession({ body });
  if (created.ok) await startSession(created.value);
  return created;
}

/** Asks the browser for a passkey and signs in with it. It replaces the current session. */
export async function signInWithPasskey(): Promise<ClientResult<SessionCreated>> {
  const challenge = await clientWith(null).createSignInChallenge();
  if (!challenge.ok) return challenge;
  const signature = await signWithPasskey(challenge.value);
  return signature.ok ? await signInWith({ passkey: signature.value }) : signature;
}

/** Stores a new session, which replaces the current one. */
export async function startSession({
  token,
  sign_out_url: signOutUrl,
}: Pick<SessionCreated, "token" | "sign_out_url">): Promise<void> {
  keepSignOutUrl(signOutUrl);
  // What created it is used up, so the session counts even if its account cannot be read now.
  const account = await clientWith(token).getAccount();
  const before = read();
  save({ token, kind: "session", account: account.ok ? account.value.id : null });
  // No tab uses the previous session any longer.
  if (typeof before === "object") revoke(before);
  // What this page has read may be of another person.
  reloadWatched();
}

/** Signs in with an API token. */
export async function signInWithToken(token: string): Promise<ClientResult<unknown>> {
  const account = await clientWith(token).getAccount();
  if (account.ok) save({ token, kind: "token", account: account.value.id });
  return account;
}

/** Stores the new secret of the rotated API token that this browser uses. */
export function replaceToken(token: string): void {
  const state = session.value;
  if (typeof state === "object") save({ ...state, token });
}

/** Removes the session from the browser at once, and revokes it. */
export function signOut(): void {
  const state = session.value;
  if (typeof state === "object") revoke(state);
  save("none");
}

/** Removes a session from the browser that is revoked already. */
export function removeSession(): void {
  save("none");
}

/**
 * Records that the control plane rejected the token of a session. The session has ended, unless it was replaced in the
 * meantime: then the newer one stays.
 * @returns the session of the same account that has replaced it; null if there is none
 */
export function replacementOf(rejected: Session): Session | null {
  // The event of another tab may not have arrived yet.
  sync();
  if (tokenOf(session.value) === rejected.token && tokenOf(read()) === rejected.token) save("ended");
  const now = session.value;
  if (typeof now === "string" || now.token === rejected.token) return null;
  return now.account !== null && now.account === rejected.account ? now : null;
}
