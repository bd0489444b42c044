import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import * as z from "zod/mini";

import { type ClientOf, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { isTemporary, retryDelayMs } from "#client/retry.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import { accountEndpoints } from "#contract/endpoints/accounts/endpoints.ts";
import { deploymentEndpoints } from "#contract/endpoints/deployments/endpoints.ts";
import { projectEndpoints } from "#contract/endpoints/projects/endpoints.ts";
import type { TrustRuleId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { exchangeIdentity, readTrustRule } from "#cli/identity/exchange-identity.ts";
import { findIdentityToken } from "#cli/identity/find-identity-token.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { isReadByOthers } from "#cli/settings/config-file.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import type { Runner } from "#action/runner.ts";

const endpoints = {
  getAccount: accountEndpoints.getAccount,
  listProjects: projectEndpoints.listProjects,
  getProject: projectEndpoints.getProject,
  startDeployment: deploymentEndpoints.startDeployment,
  getDeployment: deploymentEndpoints.getDeployment,
  listDeployments: deploymentEndpoints.listDeployments,
  cancelDeployment: deploymentEndpoints.cancelDeployment,
};

/** An installation of Gantry with a client for it. `isOfJob`: no other job has the token. */
export type Installation = {
  readonly url: string;
  readonly client: ClientOf<typeof endpoints>;
  readonly transport: Transport;
  readonly isOfJob: boolean;
};

const REQUEST_MS = 30_000;
/** How long a request is tried again. The installation may be in the middle of an update. */
const RETRY_MS = 60_000;
/** A cached token is not used in its last minute. */
const MARGIN_MS = 60_000;

/** Connects to the installation of the input `url`, with the input `token` or a token for this job. */
export async function connect(runner: Runner): Promise<Result<Installation>> {
  const given = runner.input("url");
  if (given === null)
    return stop(
      "usage",
      "Set the input url to your installation's address, such as https://gantry.example.com.",
    );
  const url = tokenUrl(given);
  if (!url.ok) return url;
  const stored = runner.input("token");
  const token = stored === null ? await findToken(runner, url.value) : succeed(stored);
  if (!token.ok) return token;
  runner.mask(token.value);
  const transport: Transport = { baseUrl: url.value, token: token.value, fetch: request };
  const how = sendWithRetry({
    retryForMs: RETRY_MS,
    now: () => performance.now(),
    newKey: () => randomUUID(),
    onWaiting: ({ detail }) => runner.line(`${detail} Trying again.`),
  });
  const client = createClientOf(endpoints, transport, how);
  return succeed({ url: url.value, client, transport, isOfJob: stored === null });
}

function request(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("user-agent", `gantry-action/${COMMAND_VERSION}`);
  // Following a redirect could send the token to another host.
  return fetch(address, {
    ...init,
    headers,
    signal: init.signal ?? AbortSignal.timeout(REQUEST_MS),
    redirect: "manual",
  });
}

/** Exchanges the identity of the job for a token, which the other parts and steps of the job use too. */
async function findToken(runner: Runner, url: string): Promise<Result<string>> {
  const rule = readTrustRule(runner.environment);
  if (!rule.ok) return rule;
  const audience = runner.input("audience") ?? new URL(url).origin;
  const path = cachePath(runner, [url, audience, rule.value ?? ""]);
  const cached = await readCached(path);
  if (cached !== null) return succeed(cached);
  const exchanged = await exchangePatiently(runner, { url, audience, rule: rule.value });
  if (exchanged.ok && path !== null)
    await writeAtomic(path, JSON.stringify(exchanged.value), { mode: 0o600, uniqueDraft: true });
  return exchanged.ok ? succeed(exchanged.value.token) : exchanged;
}

const CachedToken = z.object({ token: z.string(), expires_at: z.number() });
type CachedToken = z.infer<typeof CachedToken>;

async function exchangePatiently(
  runner: Runner,
  { url, audience, rule }: { url: string; audience: string; rule: TrustRuleId | null },
): Promise<Result<CachedToken>> {
  const signal = AbortSignal.timeout(RETRY_MS);
  for (let failures = 1; ; failures += 1) {
    // A new identity token for each try: the installation may have accepted the last one, and accepts each once.
    const identity = await findIdentityToken({ environment: runner.environment, signal }, audience);
    if (identity === null)
      return stop(
        "not_signed_in",
        "This job has no identity token. Set the input token, or run the action in a job of GitHub Actions.",
      );
    if (!identity.ok) return identity;
    const exchanged = await exchangeIdentity(url, identity.value.token, rule, signal);
    if (exchanged.ok) {
      const { access_token: token, expires_in: seconds } = exchanged.value;
      return succeed({ token, expires_at: Date.now() + seconds * 1000 });
    }
    const { problem, retryAfterMs = 0 } = exchanged;
    const isWorthRetrying = problem.status === 0 || isTemporary(problem.status);
    if (signal.aborted || !isWorthRetrying) return exchanged;
    runner.line(`${problem.detail} Trying again.`);
    await pause(Math.max(retryDelayMs(failures), retryAfterMs), signal);
  }
}

/**
 * The file with the job's token, in the folder that the runner empties before and after each job. Without a folder, each part
 * of the step gets its own token, and a step that runs again starts another deployment.
 */
function cachePath(runner: Runner, names: readonly string[]): string | null {
  const folder = runner.variable("RUNNER_TEMP");
  if (folder === null || !isAbsolute(folder)) return null;
  const hash = createHash("sha256").update(JSON.stringify(names)).digest("hex");
  return join(folder, `gantry-${hash}.json`);
}

async function readCached(path: string | null): Promise<string | null> {
  if (path === null || (await isReadByOthers(path))) return null;
  const cached = CachedToken.safeParse(parseJson(await readFile(path, "utf8").catch(() => "")));
  return cached.success && cached.data.expires_at > Date.now() + MARGIN_MS ? cached.data.token : null;
}
