import { randomUUID } from "node:crypto";

import { type ClientOf, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import { accountEndpoints } from "#contract/endpoints/accounts/endpoints.ts";
import { deploymentEndpoints } from "#contract/endpoints/deployments/endpoints.ts";
import { projectEndpoints } from "#contract/endpoints/projects/endpoints.ts";
import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import { JobTokens } from "#action/job-tokens.ts";
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

/**
 * Connects to the installation of the input `url`, with the input `token` or a token for this job.
 * @param signal ends retries, also later ones of the client: the runner ends a canceled step soon
 */
export async function connect(runner: Runner, signal: AbortSignal): Promise<Result<Installation>> {
  const given = runner.input("url");
  if (given === null)
    return stop(
      "usage",
      "Set the input url to your installation's address, such as https://gantry.example.com.",
    );
  const url = tokenUrl(given);
  if (!url.ok) return url;
  const stored = runner.input("token");
  const tokens =
    stored === null ? new JobTokens(runner, url.value, signal) : { current: async () => succeed(stored) };
  const token = await tokens.current();
  if (!token.ok) return token;
  if (stored !== null) runner.mask(stored);
  const transport: Transport = {
    baseUrl: url.value,
    token: token.value,
    fetch: async (address, init) => {
      const current = await tokens.current();
      if (!current.ok) throw new Error(current.problem.detail);
      return await request(address, init, current.value);
    },
  };
  const how = sendWithRetry({
    retryForMs: RETRY_MS,
    now: () => performance.now(),
    newKey: () => randomUUID(),
    signal,
    onWaiting: ({ detail }) => runner.line(`${detail} Trying again.`),
  });
  const client = createClientOf(endpoints, transport, how);
  return succeed({ url: url.value, client, transport, isOfJob: stored === null });
}

function request(address: string, init: RequestInit, token: string): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  headers.set("user-agent", `gantry-action/${COMMAND_VERSION}`);
  // Following a redirect could send the token to another host.
  return fetch(address, {
    ...init,
    headers,
    signal: init.signal ?? AbortSignal.timeout(REQUEST_MS),
    redirect: "manual",
  });
}
