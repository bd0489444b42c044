import { randomUUID } from "node:crypto";

import { type Client, createClient } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import type { Context } from "#cli/context.ts";
import { type Result, type Outcome, stop } from "#cli/outcome.ts";
import { chooseInstallation, type Installation } from "#cli/settings/choose-installation.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import { succeed } from "#contract/lib/result.ts";

/** A command's context with an installation to talk to. */
export type Session = Context &
  Installation & {
    readonly client: Client;
    readonly transport: Transport;
    /** How long to try, in milliseconds, while a deployment is followed. */
    readonly followPatienceMs: number;
  };

const ANSWER_MS = 30_000;
const DEFAULT_PATIENCE_MS = 10_000;
const DEFAULT_FOLLOW_PATIENCE_MS = 600_000;

/** A command that needs to be signed in. */
export function withSession<Given>(
  run: (session: Session, given: Given) => Promise<Outcome>,
): (context: Context, given: Given) => Promise<Outcome> {
  return async (context, given) => {
    const installation = await chooseInstallation(context);
    if (!installation.ok) return installation;
    const session = openSession(context, installation.value);
    return session.ok ? run(session.value, given) : session;
  };
}

export function openSession(context: Context, installation: Installation): Result<Session> {
  const { global, output, signal } = context;
  const wait = global.wait === null ? null : Number(global.wait);
  if (wait !== null && !(wait >= 0 && wait <= 86_400))
    return stop("usage", "--wait is a number of seconds, up to a day.");
  const url = tokenUrl(installation.url);
  if (!url.ok) return url;
  const transport: Transport = {
    baseUrl: url.value,
    token: installation.token,
    fetch: (address, init) => fetch(address, { ...init, ...guarded(init, signal) }),
  };
  const client = createClient(
    transport,
    sendWithRetry({
      patienceMs: wait === null ? DEFAULT_PATIENCE_MS : wait * 1000,
      now: () => performance.now(),
      newKey: () => randomUUID(),
      signal,
      onWaiting: (problem) => output.note(`${problem.detail} Trying again.`),
    }),
  );
  const followPatienceMs = wait === null ? DEFAULT_FOLLOW_PATIENCE_MS : wait * 1000;
  return succeed({ ...context, ...installation, url: url.value, client, transport, followPatienceMs });
}

/** Whoever gives a signal of its own looks after its request; every other has its time. */
function guarded(init: RequestInit, signal: AbortSignal): RequestInit {
  const headers = new Headers(init.headers);
  headers.set("user-agent", `gantry-command/${COMMAND_VERSION}`);
  const given = init.signal ?? null;
  return {
    headers,
    signal: given ?? AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    // A token must not go wherever an answer points. Which way that is can be told.
    redirect: "manual",
  };
}

/** A command line to suggest, with --url if this call had it. */
export function commandLine({ global, url }: Session, words: string): string {
  return `gantry ${words}${global.url === null ? "" : ` --url ${url}`}`;
}
