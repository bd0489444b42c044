import type { RunEvent } from "#contract/agent-events.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { Actor } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import { createIdGenerator, ProjectId, ServerId } from "#contract/ids.ts";
import { type FreezeRule, noFreezes } from "#domain/freezes/project-freezes.ts";
import { type ConfigRequest, decideConfig } from "#domain/lane/decide-config.ts";
import { decideCommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import { decideRollback, type RollbackRequest } from "#domain/lane/decide-rollback.ts";
import { canceledBy } from "#domain/lane/deployment-events.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { type RequestIfLive, decideStart, type StartRequest } from "#domain/lane/decide-start.ts";
import { activeOf, emptyLane, isIn, type Lane, type LaneDeployment } from "#domain/lane/lane.ts";
import { type PendingMessage, pendingMessages } from "#domain/lane/pending-messages.ts";
import { runOrder } from "#domain/lane/run-order.ts";
import { isRunIn } from "#domain/lane/runs.ts";
import type { RollbackChoice } from "#domain/lane/rollback-target.ts";
import { defaultPlan } from "./plan.ts";

let clock = 1_700_000_000_000;
let random = 0;
const ids = createIdGenerator({
  now: () => (clock += 1),
  randomBytes: (count) => new Uint8Array(count).map(() => (random = (random * 31 + 7) % 256)),
});

export const SERVER = ServerId.parse(ids.server());
export const OTHER_SERVER = ServerId.parse(ids.server());
export const PROJECT = ProjectId.parse(ids.project());

/** Who cancels deployments. */
export const CI = canceledBy({ type: "token", id: "tok_ci", name: "ci" });

/** Who approves deployments. */
export const APPROVER: Actor = { type: "token", id: "tok_ada", name: "Ada" };

/** A freeze that holds once. Times are Unix milliseconds. */
export function freezeBetween(from: number, until: number, name = "launch"): FreezeRule {
  const text = (time: number) => new Date(time).toISOString();
  return { id: ids.freeze(), name, times: { type: "once", from: text(from), to: text(until) } };
}

export function asked(changes: Partial<RequestIfLive> = {}): RequestIfLive {
  return {
    id: ids.deployment(),
    runId: ids.run(),
    serverId: SERVER,
    actor: { type: "token", id: "tok_ci", name: "ci" },
    person: null,
    plan: defaultPlan,
    queue: "all",
    variables: { revision: 0, notSealed: [] },
    approval: "none",
    freezes: noFreezes,
    emergency: null,
    ifLive: null,
    ...changes,
  };
}

export function start(lane: Lane, now = 0, changes: Partial<StartRequest> = {}) {
  return decideStart(lane, { ...asked(changes), input: {}, defaultBranch: "main", ...changes }, now);
}

export const DEFAULT_TARGET: RollbackChoice = { deploymentId: null, version: null };

export function rollBack(
  lane: Lane,
  choice: RollbackChoice = DEFAULT_TARGET,
  now = 0,
  changes: Partial<RollbackRequest> = {},
) {
  const runWith = { settings: null, variables: null };
  return decideRollback(lane, { runWith, ...asked(changes), choice }, now);
}

/** Applies the current settings to the live code. */
export function apply(lane: Lane, now = 0, changes: Partial<ConfigRequest> = {}) {
  const request = { ...asked(changes), restart: [], onlyScale: false, repositoryInstances: {}, ...changes };
  return decideConfig(lane, request, now);
}

/** The lane of an accepted decision. Throws on a refusal, which is an error in the test. */
export function accepted(
  decided: ReturnType<typeof start> | ReturnType<typeof rollBack> | ReturnType<typeof apply>,
): Lane {
  if (!decided.ok) throw new Error(`refused: ${decided.refusal.code}: ${decided.refusal.detail}`);
  return decided.value.lane;
}

export function report(release: number | null, releases: number[]): ProjectReport {
  return { project_id: PROJECT, release, releases, url: null };
}

export const SHA = "0123456789abcdef0123456789abcdef01234567";

/** The answer of a deployment's server that it deploys this commit. */
export function resolvesTo(lane: Lane, version: number, now = 0, sha = SHA) {
  const deployment = lane.deployments.find((one) => one.version === version);
  if (deployment === undefined) throw new Error(`no version ${version}`);
  return decideCommitResolved(
    lane,
    {
      deploymentId: deployment.id,
      serverId: deployment.serverId,
      repository: defaultPlan.repository,
      result: { ok: true, commit_sha: sha, commit_message: "Change" },
    },
    now,
  );
}

/** The events of a run that goes live with `release`, on a server that then has `releases`. */
export function liveEvents(release: number, releases: number[], sha = SHA): RunEvent[] {
  const evidence = { target: `releases/${release}`, commit_sha: sha, health_check: null };
  return [
    { seq: 1, type: "stage", stage: "fetch" },
    { seq: 2, type: "resolved", commit_sha: sha, commit_message: "Change" },
    { seq: 3, type: "ready" },
    {
      seq: 4,
      type: "result",
      result: { outcome: "live", release, evidence },
      project: report(release, releases),
    },
  ];
}

export function failedEvents(releases: number[]): RunEvent[] {
  const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
  return [
    { seq: 1, type: "stage", stage: "fetch" },
    { seq: 2, type: "result", result: { outcome: "failed", failure }, project: report(null, releases) },
  ];
}

/** Applies events of the active deployment's agent. */
export function reportActive(lane: Lane, events: RunEvent[], now = 0) {
  const active = activeOf(lane);
  if (active === null) throw new Error("nothing is active");
  const { id: deploymentId, runId, serverId } = active;
  return decideRunEvents(lane, { deploymentId, runId, serverId, events }, now);
}

/** Starts a deployment and makes it live. The server keeps all releases that were live there. */
export function deployed(lane: Lane, now = 0, serverId = SERVER, sha = SHA): Lane {
  const started = accepted(start(lane, now, { serverId }));
  const kept = [...keptOn(lane, serverId), lane.nextVersion];
  return reportActive(started, liveEvents(lane.nextVersion, kept, sha), now + 1000).lane;
}

/** Rolls back and makes the rollback live, with the kept release. */
export function rolledBack(lane: Lane, choice: RollbackChoice = DEFAULT_TARGET, now = 0): Lane {
  const started = accepted(rollBack(lane, choice, now));
  const release = activeOf(started)?.reuseRelease ?? lane.nextVersion;
  return reportActive(started, liveEvents(release, keptOn(lane)), now + 10).lane;
}

/** Applies the current settings to the live code, and makes that live with the kept release. */
export function applied(lane: Lane, now = 0): Lane {
  const started = accepted(apply(lane, now));
  const release = activeOf(started)?.reuseRelease ?? lane.nextVersion;
  return reportActive(started, liveEvents(release, keptOn(lane)), now + 10).lane;
}

function keptOn(lane: Lane, serverId = SERVER): number[] {
  const kept = lane.deployments.flatMap((one) =>
    isIn(one, "live", "superseded")
      ? one.state.served.filter((there) => there.serverId === serverId && there.releaseKept)
      : [],
  );
  return [...new Set(kept.map(({ release }) => release))];
}

/** A lane on which `count` deployments went live, in sequence. */
export function laneWithLive(count: number): Lane {
  return Array.from({ length: count }).reduce<Lane>((lane) => deployed(lane), emptyLane);
}

/** Deployments that went live in sequence, one for each commit, such as "aab". */
export function laneWithCommits(commits: string): Lane {
  return commits
    .split("")
    .reduce<Lane>((lane, commit) => deployed(lane, 0, SERVER, commit.repeat(40)), emptyLane);
}

/** Versions and states, such as "1 superseded, 2 live, 3 queued". Of an active deployment: the states of its runs. */
export function story(lane: Lane): string {
  return lane.deployments.map((one) => `${one.version} ${storyOf(one)}`).join(", ");
}

function storyOf(deployment: LaneDeployment): string {
  if (!isIn(deployment, "active")) return deployment.state.name;
  return deployment.state.runs.map(({ state }) => state.name).join("/");
}

/** The first message that is due. */
export function firstMessage(lane: Lane, projectId: ProjectId, now: number): PendingMessage | null {
  return pendingMessages(lane, projectId, now)[0] ?? null;
}

/** The order of the first run of the active deployment, which is offered. */
export function offeredOrder(lane: Lane, at = lane): RunOrder {
  const active = activeOf(lane);
  const [run] = active?.state.runs ?? [];
  if (active === null || run === undefined || !isRunIn(run, "offered")) throw new Error("nothing is offered");
  const order = runOrder(at, active, run, PROJECT);
  if (order === null) throw new Error("a deployment without settings");
  return order;
}
