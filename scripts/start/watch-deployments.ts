import { setTimeout as pause } from "node:timers/promises";

import { followLog } from "#client/follow-log.ts";
import type { Transport } from "#client/request.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";

import { type Api, valueOf } from "../shared/api.ts";

const POLL_MS = 1_000;
const LIST_LIMIT = 100;

export type WatchEvents = {
  onStarted(deployment: Deployment): Promise<void>;
  onLine(deployment: Deployment, line: LogLine): void;
  onEnded(deployment: Deployment): void;
};

export type DeploymentWatcher = {
  /** Resolves when the deployment has ended and its log was shown, when the deployment was deleted, or at the signal. */
  ended(id: DeploymentId): Promise<void>;
};

/**
 * Follows every deployment of the account from its start to its end, with its log line by line. Skips deployments that
 * ended before the call.
 * @param signal stops the following
 * @throws Problem if the deployments cannot be listed at first
 */
export async function watchDeployments(
  transport: Transport,
  api: Api,
  events: WatchEvents,
  signal: AbortSignal,
): Promise<DeploymentWatcher> {
  const watched = new Map<DeploymentId, Promise<void>>();
  const list = () => api.listDeployments({ query: { limit: LIST_LIMIT } });

  async function follow(deployment: Deployment): Promise<void> {
    await events.onStarted(deployment);
    for await (const event of followLog(transport, deployment.id, { signal }))
      if (event.type === "line") events.onLine(deployment, event.line);
    if (signal.aborted) return;
    const ended = await api.getDeployment({ params: { deployment_id: deployment.id } });
    if (ended.ok) events.onEnded(ended.value);
  }

  function watch(deployment: Deployment): Promise<void> {
    const following = watched.get(deployment.id) ?? follow(deployment);
    watched.set(deployment.id, following);
    return following;
  }

  for (const deployment of valueOf(await list(), "Listing the deployments").deployments.toReversed()) {
    if (deployment.status === "building") void watch(deployment);
    else watched.set(deployment.id, Promise.resolve());
  }
  void (async () => {
    while (!signal.aborted) {
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
      const listed = signal.aborted ? null : await list();
      if (listed?.ok === true) for (const one of listed.value.deployments.toReversed()) void watch(one);
    }
  })();

  return {
    async ended(id) {
      const read = await api.getDeployment({ params: { deployment_id: id } });
      if (read.ok) await watch(read.value);
    },
  };
}
