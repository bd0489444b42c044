import * as z from "zod/mini";

import type { Failed } from "#client/answer.ts";
import { createClientOf } from "#client/client.ts";
import type { ClientResult } from "#client/send.ts";
import { connectionEndpoints } from "#contract/endpoints/connections/endpoints.ts";
import type { ConnectionTest, SignInStarted } from "#contract/endpoints/connections/schemas.ts";
import { isDashboardPage } from "#contract/dashboard-pages.ts";
import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { ConnectionId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { PENDING_KEY } from "#dashboard/data/pending-sign-in.ts";
import { openTransport } from "#dashboard/data/session.ts";
import { Signal } from "#dashboard/data/signal.ts";
import { sha256, toBase64Url } from "#sealing/bytes.ts";

// A sign-in by a provider leaves the page and comes back to the callback page. The tab keeps a secret meanwhile, so that the answer works
// only here. There are no cookies.

export const connectionsApi = clientOf(connectionEndpoints);
const openApi = createClientOf(connectionEndpoints, openTransport);

/** The ways to sign in that anybody may know. */
export const getSignInOptions = (domain: string | null) =>
  openApi.getSignInOptions({ query: domain === null ? {} : { domain } });

/** What a sign-in by a provider is for. `back`: the path of the page that has started it. */
const Pending = z.strictObject({
  act: z.enum(["sign_in", "confirm", "add_identity", "test"]),
  binding: z.string(),
  back: z.string(),
  connection_id: ConnectionId,
  invitation_code: z.nullable(z.string()),
});
export type Pending = z.infer<typeof Pending>;

type Purpose = Pick<Pending, "act" | "connection_id"> & { readonly invitation_code?: string | null };

/** Sends the browser to a provider. @returns only if that failed */
export async function leaveForProvider(purpose: Purpose): Promise<ClientResult<unknown>> {
  const { act, connection_id: id } = purpose;
  // The browser has no SHA-256 for pages of plain HTTP.
  if (!isSecureContext) return notSecure;
  const binding = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const started = await startAt(act, id, await sha256(binding));
  if (!started.ok) return started;
  const { url } = started.value;
  // Nothing but an address of the web is followed.
  if (url === null || !/^https?:/.test(url)) return started;
  const { invitation_code: code = null } = purpose;
  const pending: Pending = {
    act,
    binding,
    back: location.pathname,
    connection_id: id,
    invitation_code: code,
  };
  sessionStorage.setItem(PENDING_KEY, JSON.stringify(pending));
  location.assign(url);
  return started;
}

async function startAt(
  act: Pending["act"],
  id: ConnectionId,
  bindingHash: string,
): Promise<ClientResult<Pick<SignInStarted, "url"> | Pick<ConnectionTest, "url">>> {
  switch (act) {
    case "sign_in":
      return await openApi.startSignIn({ body: { connection_id: id, binding_hash: bindingHash } });
    case "confirm":
    case "add_identity":
      return await connectionsApi.startProvider({
        body: { act, connection_id: id, binding_hash: bindingHash },
      });
    case "test":
      return await connectionsApi.testConnection({
        params: { connection_id: id },
        body: { binding_hash: bindingHash },
      });
  }
}

const notSecure: Failed = {
  ok: false,
  problem: {
    type: "about:blank",
    title: "Address not secure",
    status: 0,
    detail: "Sign-ins by a provider need https://. On your own computer, open http://localhost instead.",
    code: "address_not_secure",
    request_id: "",
  },
};

/** What this tab has started; null: nothing. It can be read once. */
export function takePending(): Pending | null {
  const parsed = Pending.safeParse(parseJson(sessionStorage.getItem(PENDING_KEY) ?? ""));
  sessionStorage.removeItem(PENDING_KEY);
  if (!parsed.success) return null;
  // Other scripts of this origin cannot lead the person elsewhere either.
  return { ...parsed.data, back: isDashboardPage(parsed.data.back) ? parsed.data.back : "/app" };
}

/** What the provider has sent back, which is removed from the address and the history. */
export function takeAnswer({ binding }: Pick<Pending, "binding">): ProviderAnswer {
  const query = location.search;
  history.replaceState(null, "", location.pathname);
  return { query, binding };
}

/** The result of a test sign-in, for the page that has started it. */
export const testResult = new Signal<{
  readonly connectionId: ConnectionId;
  readonly test: ConnectionTest;
} | null>(null);
