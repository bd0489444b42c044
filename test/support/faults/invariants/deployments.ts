import { linkTarget } from "#agent/workspace/current-link.ts";
import { type Deployment, Deployments } from "#contract/endpoints/deployments/schemas.ts";

import type { Installation } from "../installation.ts";
import type { Site } from "../site.ts";

/** All deployments in the project's list, newest first. */
export async function readDeployments(
  { api }: Pick<Installation, "api">,
  projectId: string,
): Promise<Deployment[]> {
  const all: Deployment[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.call("GET", `/v1/deployments?project_id=${projectId}&limit=100${from}`);
    const page = Deployments.parse(answer.json);
    all.push(...page.deployments);
    cursor = page.next_cursor;
  }
  return all;
}

/** What `current` must point to on a server; null: the live deployment is not there. */
export function targetOn(live: Deployment | undefined, serverId: string): string | null {
  if (live === undefined) return null;
  if (live.runs.length === 0) return live.server_id === serverId ? (live.evidence?.target ?? null) : null;
  const release = live.runs.findLast(
    (run) => run.server_id === serverId && run.purpose !== "revert" && run.status === "switched",
  )?.release;
  return release === undefined || release === null ? null : linkTarget(release);
}

/**
 * Checks that each 201 led to exactly one deployment with the answered version and a final status, that deleted
 * deployments are not listed, that canceled ones are canceled and were never activated, that no deployment is listed
 * without a request, that versions are distinct, and that at most one deployment is live.
 */
export function deploymentViolations(
  { ledger }: Pick<Installation, "ledger">,
  site: Site,
  listed: readonly Deployment[],
): string[] {
  const violations: string[] = [];
  const byId = new Map(listed.map((deployment) => [deployment.id as string, deployment]));
  if (byId.size !== listed.length) violations.push("a deployment is listed twice");
  const accepted = ledger.of(site.projectId);
  for (const { id, version, isDeleted } of accepted) {
    const deployment = byId.get(id);
    if (isDeleted) {
      if (deployment !== undefined) violations.push(`${id} was deleted and is listed`);
    } else if (deployment === undefined) violations.push(`${id} (v${version}) got a 201 and is not listed`);
    else if (deployment.version !== version)
      violations.push(`${id} got v${version} in its 201 and is listed as v${deployment.version}`);
  }
  const known = new Set(accepted.map((one) => one.id));
  const unknownCount = listed.filter((one) => !known.has(one.id)).length;
  if (unknownCount > (ledger.unanswered.get(site.projectId) ?? 0))
    violations.push(`${unknownCount} deployments are listed that no client received`);
  const versions = [
    ...accepted.map((one) => one.version),
    ...listed.filter((one) => !known.has(one.id)).map((one) => one.version),
  ];
  if (new Set(versions).size !== versions.length) violations.push(`versions repeat: ${versions.join(", ")}`);
  for (const one of listed) {
    if (one.status === "building")
      violations.push(`v${one.version} ${one.id} has no verdict: it is at ${one.stage}`);
    if (one.status !== "canceled" && one.status !== "building" && ledger.canceled.has(one.id))
      violations.push(`v${one.version} was canceled, and is ${one.status}`);
    // Of several servers, some may have switched. They have gone back.
    if (one.runs.length === 0 && ledger.canceled.has(one.id) && ledger.switched.has(one.id))
      violations.push(`v${one.version} was canceled, and its agent switched to it`);
    if (one.status === "failed" && one.failure === null)
      violations.push(`v${one.version} failed without a reason`);
    if ((one.status === "live" || one.status === "superseded") && one.evidence === null)
      violations.push(`v${one.version} was live without evidence`);
  }
  const live = listed.filter((one) => one.status === "live");
  if (live.length > 1) violations.push(`${live.length} deployments are live`);
  const wasLive = listed.some((one) => one.status === "superseded");
  if (wasLive && live.length === 0) violations.push("none is live, although one was");
  return violations;
}
