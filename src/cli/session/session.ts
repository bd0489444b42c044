import { randomUUID } from "node:crypto";

import type { Failed } from "#client/answer.ts";
import { type ClientOf, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, type Outcome, stop } from "#cli/outcome.ts";
import { chooseInstallation, type Installation } from "#cli/settings/choose-installation.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { userEndpoints } from "#contract/endpoints/user-endpoints.ts";
import { succeed } from "#contract/lib/result.ts";

/** A command's context with a client for its installation. */
export type Session = CommandContext &
  Installation & {
    readonly client: ClientOf<typeof userEndpoints>;
    readonly transport: Transport;
    /** The token's account, with what the token may do. Requested once. */
    readonly ownAccount: () => Promise<ClientResult<Account>>;
    /** How long to reconnect after a lost connection while following a deployment, in milliseconds. */
    readonly reconnectForMs: number;
  };

const RESPONSE_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_MS = 10_000;
const DEFAULT_RECONNECT_MS = 600_000;

/** Wraps a command that needs an installation and a token. */
export function withSession<Given>(
  run: (session: Session, given: Given) => Promise<Outcome>,
): (context: CommandContext, given: Given) => Promise<Outcome> {
  return async (context, given) => {
    const installation = await chooseInstallation(context);
    if (!installation.ok) return installation;
    const session = openSession(context, installation.value);
    if (!session.ok) return session;
    const outcome = await run(session.value, given);
    return outcome.ok ? outcome : await withSignInHint(session.value, outcome);
  };
}

/** Adds how to sign in to a problem of which that is the solution. */
async function withSignInHint(session: Session, failed: Failed): Promise<Failed> {
  const { url, isTokenGiven, ownAccount } = session;
  const { code, detail } = failed.problem;
  const add = (hint: string): Failed => ({
    ...failed,
    problem: { ...failed.problem, detail: `${detail} ${hint}: gantry login ${url}` },
  });
  if (code === "invalid_token" && !isTokenGiven) return add("Sign in again");
  // Only members and tokens that they create have these scopes.
  if (code !== "insufficient_scope" || !/ members:(?:read|write)\b/.test(detail)) return failed;
  const account = await ownAccount();
  if (!account.ok || account.value.member !== null) return failed;
  if (account.value.has_owner) return add("Sign in as a member");
  const hint =
    "There is no member yet: open the sign-in link of the installation, and become the owner there.";
  return { ...failed, problem: { ...failed.problem, detail: `${detail} ${hint}` } };
}

export function openSession(context: CommandContext, installation: Installation): Result<Session> {
  const { global, output, signal } = context;
  const wait = global.wait === null ? null : Number(global.wait);
  if (wait !== null && !(wait >= 0 && wait <= 86_400))
    return stop("usage", "--wait must be a number of seconds, at most 86400.");
  const url = tokenUrl(installation.url);
  if (!url.ok) return url;
  const transport: Transport = {
    baseUrl: url.value,
    token: installation.token,
    fetch: (address, init) => fetch(address, { ...init, ...withDefaults(init, signal) }),
  };
  const how = sendWithRetry({
    retryForMs: wait === null ? DEFAULT_RETRY_MS : wait * 1000,
    now: () => performance.now(),
    newKey: () => randomUUID(),
    signal,
    onWaiting: (problem) => output.note(`${problem.detail} Trying again.`),
  });
  const client = createClientOf(userEndpoints, transport, how);
  let account: Promise<ClientResult<Account>> | null = null;
  const ownAccount = () => (account ??= client.getAccount());
  const reconnectForMs = wait === null ? DEFAULT_RECONNECT_MS : wait * 1000;
  return succeed({
    ...context,
    ...installation,
    url: url.value,
    client,
    transport,
    ownAccount,
    reconnectForMs,
  });
}

/** Adds a user agent, and a timeout unless the caller gives its own signal. */
function withDefaults(init: RequestInit, signal: AbortSignal): RequestInit {
  const headers = new Headers(init.headers);
  headers.set("user-agent", `gantry-command/${COMMAND_VERSION}`);
  return {
    headers,
    signal: init.signal ?? AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    // Following a redirect could send the token to another host. The Location header is printed instead.
    redirect: "manual",
  };
}

/** A command line to suggest, with --url if this call had it. */
export function commandLine({ global, url }: Session, words: string): string {
  return `gantry ${words}${global.url === null ? "" : ` --url ${url}`}`;
}
