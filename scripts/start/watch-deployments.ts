import { setTimeout as pause } from "node:timers/promises";

import type { Client } from "#client/client.ts";
import type { Deployment } from "#contract/deployments.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogLine } from "#contract/logs.ts";

const BUSY_INTERVAL_MS = 250;
const IDLE_INTERVAL_MS = 1_000;
const LIST_LIMIT = 100;

export type WatchEvents = {
  onStarted(deployment: Deployment): void;
  onLine(deployment: Deployment, line: LogLine): void;
  onEnded(deployment: Deployment): void;
};

export type DeploymentWatcher = {
  /** Resolves when the deployment has ended and its log has been shown; with `null` when it was deleted before. */
  ended(id: DeploymentId): Promise<Deployment | null>;
};

type Watched = { pageCursor: string | null; lastLine: number };

/**
 * Follows every deployment of the account from its start to its end, and its log line by line. Those that have ended
 * before the first look are not mentioned.
 */
export function watchDeployments(api: Client, events: WatchEvents, signal: AbortSignal): DeploymentWatcher {
  const watched = new Map<DeploymentId, Watched>();
  const isOver = new Set<DeploymentId>();
  const waiting = new Map<DeploymentId, (deployment: Deployment | null) => void>();
  let isFirstLook = true;

  const settle = (id: DeploymentId, deployment: Deployment | null): void => {
    watched.delete(id);
    isOver.add(id);
    waiting.get(id)?.(deployment);
    waiting.delete(id);
  };

  async function look(): Promise<void> {
    const answer = await api.listDeployments({ query: { limit: LIST_LIMIT } });
    if (!answer.ok) return;
    const listed = answer.value.deployments.toReversed();
    for (const deployment of listed) {
      if (isOver.has(deployment.id)) continue;
      const hasEnded = deployment.status !== "building";
      if (isFirstLook && hasEnded && !waiting.has(deployment.id)) {
        isOver.add(deployment.id);
        continue;
      }
      if (!watched.has(deployment.id)) {
        watched.set(deployment.id, { pageCursor: null, lastLine: 0 });
        events.onStarted(deployment);
      }
      if (deployment.stage !== "queued") await showLines(deployment);
      if (!hasEnded) continue;
      events.onEnded(deployment);
      settle(deployment.id, deployment);
    }
    isFirstLook = false;
    // Only a list with room left shows that one is gone, and not just older than the list.
    if (listed.length === LIST_LIMIT) return;
    const present = new Set(listed.map((deployment) => deployment.id));
    for (const id of watched.keys()) if (!present.has(id)) settle(id, null);
  }

  /** Reads on from the page where it stopped; the lines of that page which were shown already are skipped. */
  async function showLines(deployment: Deployment): Promise<void> {
    const at = watched.get(deployment.id);
    if (at === undefined) return;
    for (;;) {
      const answer = await api.getDeploymentLog({
        params: { deployment_id: deployment.id },
        query: at.pageCursor === null ? {} : { cursor: at.pageCursor },
      });
      if (!answer.ok) return;
      for (const line of answer.value.lines) {
        if (line.line <= at.lastLine) continue;
        at.lastLine = line.line;
        events.onLine(deployment, line);
      }
      const next = answer.value.next_cursor;
      if (next === null || next === at.pageCursor || answer.value.lines.length === 0) return;
      at.pageCursor = next;
    }
  }

  void (async () => {
    while (!signal.aborted) {
      await look();
      const interval = watched.size > 0 || waiting.size > 0 ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS;
      await pause(interval, undefined, { signal }).catch(() => undefined);
    }
    for (const id of waiting.keys()) settle(id, null);
  })();

  return {
    ended: (id) =>
      isOver.has(id)
        ? Promise.resolve(null)
        : new Promise((resolve) => {
            waiting.set(id, resolve);
          }),
  };
}
