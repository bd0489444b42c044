import type { Artifact, ArtifactTask } from "#contract/artifact.ts";
import type { Instruction, RunEvent, RunResult } from "#contract/agent-events.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { ProjectReport, ToAgent } from "#contract/agent-protocol.ts";
import { CommitSha } from "#contract/git-names.ts";
import type { DeploymentId, RunId } from "#contract/ids.ts";

/**
 * A run in the agent. Phases: `asked`: waiting for the permit; `permitted`: can no longer be canceled; `releasing`: the
 * release command runs; `switched`: `current` points to the release, which is not verified yet. `unsent`: events that the
 * lane has not acknowledged.
 */
export type ModelRun = {
  readonly runId: RunId;
  readonly deploymentId: DeploymentId;
  readonly version: number;
  readonly reuse: number | null;
  /** The commit that it deploys. */
  readonly commit: string;
  readonly preapproved: boolean;
  /** Whether the release command runs on this server. null: the project has no other, and it is part of the switch. */
  readonly runsRelease: boolean | null;
  readonly keep: readonly number[];
  /** What it has to do with a build that others take; null: it builds for itself. */
  readonly task: ArtifactTask | null;
  readonly phase: "new" | "preparing" | "asked" | "permitted" | "releasing" | "switched" | "done";
  readonly previous: number | null;
  readonly unsent: readonly RunEvent[];
  /** null: the agent sent events before a restart, and only the lane knows how many. */
  readonly nextSeq: number | null;
  /** The result of the run; null while it is running. */
  readonly result: RunResult | null;
  readonly awaitsAnswer: boolean;
  /** The control plane has ended the run, but the run cannot stop immediately. */
  readonly isEnded: boolean;
};

/**
 * One project on an agent without files and processes, as a value: each function returns the agent after the step. It
 * shows what the protocol lets the control plane see, so it switches to a release only with a permit.
 */
export type ModelAgent = {
  readonly project: Pick<ProjectReport, "project_id" | "url">;
  readonly isUp: boolean;
  readonly current: number | null;
  readonly releases: readonly number[];
  readonly seen: readonly RunId[];
  readonly runs: readonly ModelRun[];
  /** The requested removal of the project, until it is done and reported. It waits for a run that has begun. */
  readonly removal: { readonly purge: boolean; readonly isDone: boolean } | null;
};

/** An event without its number. */
export type Unnumbered<Event = RunEvent> = Event extends RunEvent ? Omit<Event, "seq"> : never;

/** The commit of every branch that does not move. */
export const SHA = "0123456789abcdef0123456789abcdef01234567";
/** What an agent sends of each build. */
export const ARTIFACT: Artifact = {
  sha256: "8".repeat(64),
  bytes: 1000,
  parts: 1,
  platform: { os: "linux", architecture: "x64", libc: "glibc", home: "/srv/shop" },
  boxes: {},
};

/** The result of a run that ended with its agent. */
function lostIn({ phase }: ModelRun): RunResult {
  const stage = phase === "switched" ? "activate" : phase === "releasing" ? "release" : "build";
  return { outcome: "failed", failure: { code: "server_lost", message: "the agent stopped", stage } };
}

const BROKEN: RunResult = {
  outcome: "failed",
  failure: { code: "build_failed", message: "exit code 1", stage: "build" },
};
const SERVED_ALREADY: RunResult = {
  outcome: "failed",
  failure: { code: "internal", message: "is being served already", stage: "fetch" },
};
const NOT_MIGRATED: RunResult = {
  outcome: "failed",
  failure: { code: "release_failed", message: "exit code 1", stage: "release" },
};
const UNHEALTHY: RunResult = {
  outcome: "failed",
  failure: { code: "health_check_failed", message: "answered 500", stage: "verify" },
};

/** An agent that is running. `releases`: the versions of its releases; it serves the last of them. */
export function startedAgent(project: ModelAgent["project"], releases: readonly number[] = []): ModelAgent {
  const current = releases.at(-1) ?? null;
  return { project, isUp: true, current, releases, seen: [], runs: [], removal: null };
}

export function reportOf({ project, current, releases }: ModelAgent): ProjectReport {
  return { ...project, release: current, releases: [...releases] };
}

/** Takes a message of the control plane. @param tip the commit of the branch */
export function receiveMessage(agent: ModelAgent, message: ToAgent, tip = SHA): ModelAgent {
  switch (message.type) {
    case "run":
      return receiveOrder(agent, message.order, tip);
    case "stop":
      return obey(agent, message.run_id, "stop");
    case "correct_release": {
      const isBusy = agent.runs.some(({ phase }) => phase !== "done");
      const isPossible = !isBusy && agent.releases.includes(message.release);
      return isPossible ? { ...agent, current: message.release } : agent;
    }
    case "remove_project": {
      const requested = { ...agent, removal: { purge: message.purge, isDone: false } };
      return agent.runs.every(({ phase }) => phase === "done") ? removeFiles(requested) : requested;
    }
    // Only a hint: this agent asks for its permit in any case.
    case "permit":
    case "welcome":
    case "make_deploy_key":
    case "test_repository":
    case "check_domains":
    case "resolve_commit":
    case "read_processes":
    case "set_maintenance":
    case "set_pause":
    case "set_drain":
    case "set_fleet":
    case "read_output":
    case "follow_output":
    case "stop_output":
    case "read_cron":
    case "run_cron":
    case "read_cron_run":
    case "stop_cron_run":
    case "start_command":
    case "read_command":
    case "stop_command":
    case "list_commands":
    case "watch":
      return agent;
  }
}

/** A full hash as git prints it; null: the order has an abbreviated one or none. */
function fullHash(commit: string | null): string | null {
  const { data } = CommitSha.safeParse(commit?.toLowerCase());
  return data ?? null;
}

function receiveOrder(agent: ModelAgent, order: RunOrder, tip: string): ModelAgent {
  if (agent.seen.includes(order.run_id)) return agent;
  const run: ModelRun = {
    runId: order.run_id,
    deploymentId: order.deployment_id,
    version: order.version,
    reuse: order.reuse_release,
    commit: fullHash(order.source.commit) ?? tip,
    preapproved: order.preapproved,
    runsRelease: order.place?.release ?? null,
    keep: order.keep_releases,
    task: order.artifact ?? null,
    phase: "new",
    previous: null,
    unsent: [],
    nextSeq: 1,
    result: null,
    awaitsAnswer: false,
    isEnded: false,
  };
  return { ...agent, seen: [...agent.seen, order.run_id], runs: [...agent.runs, run] };
}

/** The active run. Runs are carried out in sequence. */
export function workingRun(agent: ModelAgent): ModelRun | null {
  const run = agent.runs.find(({ phase }) => phase !== "done");
  return run === undefined || run.phase === "asked" ? null : run;
}

/**
 * The next step of a run.
 * @param goesWell whether the command of the step succeeds
 * @param found the events that the fetch reports, in addition to its stage
 */
export function work(
  agent: ModelAgent,
  run: ModelRun,
  goesWell: boolean,
  found: readonly Unnumbered[] = [],
): ModelAgent {
  switch (run.phase) {
    case "new": {
      const kept = run.reuse !== null && agent.releases.includes(run.reuse) ? run.reuse : null;
      if (kept !== null && run.preapproved) return replace(agent, { ...run, phase: "permitted" });
      // It has the code, so it fetches nothing.
      if (kept !== null) return replace(agent, { ...emit(run, { type: "ready" }), phase: "asked" });
      // It would build into the folder that visitors get.
      if (agent.current === run.version) return finish(agent, run, SERVED_ALREADY);
      const begun: ModelRun = { ...run, reuse: kept, phase: "preparing" };
      return replace(agent, [{ type: "stage", stage: "fetch" } as const, ...found].reduce(emit, begun));
    }
    case "preparing": {
      if (!goesWell) return finish(agent, run, BROKEN);
      const built = run.reuse === null ? withRelease(agent, run.version) : agent;
      // A server that takes a build has read no repository.
      const commit_message = run.task?.type === "take" ? "" : "Change";
      const fetched = emit(run, { type: "resolved", commit_sha: run.commit, commit_message });
      const resolved =
        run.task?.type === "make" ? emit(fetched, { type: "artifact", artifact: ARTIFACT }) : fetched;
      if (run.task?.type === "make" && run.task.only) return finish(built, resolved, { outcome: "built" });
      if (run.preapproved) return replace(built, { ...resolved, phase: "permitted" });
      return replace(built, { ...emit(resolved, { type: "ready" }), phase: "asked" });
    }
    case "permitted": {
      if (run.runsRelease === false) return switchTo(agent, run);
      if (run.runsRelease === true) return replace(agent, { ...emit(run, releasing), phase: "releasing" });
      // The order of a rollback has no release command.
      const released = run.reuse === null ? emit(run, releasing) : run;
      if (run.reuse === null && !goesWell) return finish(agent, released, NOT_MIGRATED);
      return switchTo(agent, released);
    }
    case "releasing":
      return goesWell ? switchTo(agent, run) : finish(agent, run, NOT_MIGRATED);
    case "switched":
      return goesWell ? settle(agent, run) : revert(agent, run);
    case "asked":
    case "done":
      return agent;
  }
}

function switchTo(agent: ModelAgent, run: ModelRun): ModelAgent {
  const switching = emit({ ...run, phase: "switched", previous: agent.current }, activating);
  return replace({ ...agent, current: releaseOf(run) }, switching);
}

const releasing = { type: "stage", stage: "release" } as const;
const activating = { type: "stage", stage: "activate" } as const;

function settle(agent: ModelAgent, run: ModelRun): ModelAgent {
  const release = releaseOf(run);
  const stays = (one: number) => one === release || one === run.previous || run.keep.includes(one);
  const pruned = { ...agent, releases: agent.releases.filter(stays) };
  const evidence = { target: `releases/${release}`, commit_sha: run.commit, health_check: null };
  return finish(pruned, run, { outcome: "live", release, evidence });
}

function revert(agent: ModelAgent, run: ModelRun): ModelAgent {
  return finish({ ...agent, current: run.previous }, run, UNHEALTHY);
}

/** Ends a run: a failed or canceled one leaves no release behind. */
function finish(agent: ModelAgent, run: ModelRun, result: RunResult): ModelAgent {
  const hasBuilt = run.reuse === null && result.outcome !== "live" && agent.current !== run.version;
  const tidy = hasBuilt ? { ...agent, releases: agent.releases.filter((one) => one !== run.version) } : agent;
  if (run.isEnded) return removeIfIdle(without(tidy, run));
  return removeIfIdle(reportResult(tidy, { ...run, result, phase: "done" }));
}

/** Fails a run in any phase before its switch. */
export function fail(agent: ModelAgent, run: ModelRun): ModelAgent {
  return finish(agent, run, BROKEN);
}

/** Removes the project once no run is under way. Orders that came after the request do not hold it up. */
function removeIfIdle(agent: ModelAgent): ModelAgent {
  if (agent.removal === null || agent.removal.isDone) return agent;
  return agent.runs.every(({ phase }) => phase === "done" || phase === "new") ? removeFiles(agent) : agent;
}

function removeFiles(agent: ModelAgent): ModelAgent {
  const removal = agent.removal === null ? null : { ...agent.removal, isDone: true };
  return { ...agent, current: null, releases: [], removal };
}

function reportResult(agent: ModelAgent, run: ModelRun): ModelAgent {
  if (run.result === null) return replace(agent, run);
  return replace(agent, emit(run, { type: "result", result: run.result, project: reportOf(agent) }));
}

function obey(agent: ModelAgent, runId: RunId, instruction: Instruction): ModelAgent {
  const run = agent.runs.find((one) => one.runId === runId);
  if (run === undefined) return agent;
  const isCommitted =
    run.phase === "permitted" ||
    run.phase === "releasing" ||
    run.phase === "switched" ||
    run.phase === "done";
  switch (instruction) {
    case "continue":
      return agent;
    case "activate":
      return run.phase === "asked" ? replace(agent, { ...run, phase: "permitted" }) : agent;
    case "stop":
      return isCommitted ? agent : finish(agent, run, { outcome: "canceled" });
    case "ended":
      if (run.phase === "switched") return replace(agent, { ...run, isEnded: true, unsent: [] });
      if (run.phase === "done") return removeIfIdle(without(agent, run));
      return finish(agent, { ...run, isEnded: true }, lostIn(run));
  }
}

/** The next post of the agent for a run; null if there is none. */
export function eventsToPost(run: ModelRun): readonly RunEvent[] | null {
  if (run.awaitsAnswer || run.isEnded) return null;
  if (run.unsent.length === 0 && run.phase !== "asked" && run.nextSeq !== null) return null;
  return run.unsent;
}

/** Applies an answer: first the acknowledgement, then the instruction. */
export function receiveAnswer(
  agent: ModelAgent,
  runId: RunId,
  ackedSeq: number,
  instruction: Instruction,
): ModelAgent {
  const run = agent.runs.find((one) => one.runId === runId);
  if (run === undefined) return agent;
  const unsent = run.unsent.filter(({ seq }) => seq > ackedSeq);
  const heard: ModelRun = { ...run, unsent, awaitsAnswer: false };
  if (heard.phase === "done" && instruction !== "ended" && unsent.length === 0)
    // Also if a post from before a restart had used the number of the result.
    return reportResult(agent, { ...heard, nextSeq: ackedSeq + 1 });
  return obey(replace(agent, heard), runId, instruction);
}

/** The agent after a SIGKILL, with what the next start finds in the journals. */
export function crash(agent: ModelAgent): ModelAgent {
  let { current, releases } = agent;
  const runs: ModelRun[] = [];
  for (const run of agent.runs) {
    // There is no journal of a run that never started, and none is needed of a run that has ended.
    if (run.phase === "new" && workingRun(agent) !== run) continue;
    const result = run.result ?? lostIn(run);
    if (run.phase === "switched") current = run.previous;
    if (run.phase !== "done" && run.reuse === null)
      releases = releases.filter((release) => release !== run.version);
    runs.push({
      ...run,
      phase: "done",
      unsent: [],
      nextSeq: null,
      result,
      awaitsAnswer: false,
      isEnded: false,
    });
  }
  const seen = runs.map(({ runId }) => runId);
  // A removal waits in memory only. The control plane requests it again until it is confirmed.
  return { ...agent, isUp: false, current, releases, seen, runs, removal: null };
}

/** The agent after a restart that has lost its journals too, so it knows none of its runs. */
export function forgetRuns(agent: ModelAgent): ModelAgent {
  return { ...agent, seen: [], runs: [], removal: null };
}

/**
 * Whether the project changed in a way that no result reports, so that the agent sends `serving`: the control plane ended
 * a run, or the served release was corrected.
 */
export function mustAnnounce(before: ModelAgent, after: ModelAgent): boolean {
  return (
    after.runs.length < before.runs.length || (after.current !== before.current && after.runs === before.runs)
  );
}

export function replace(agent: ModelAgent, run: ModelRun): ModelAgent {
  return { ...agent, runs: agent.runs.map((one) => (one.runId === run.runId ? run : one)) };
}

function without(agent: ModelAgent, run: ModelRun): ModelAgent {
  return { ...agent, runs: agent.runs.filter((one) => one.runId !== run.runId) };
}

function withRelease(agent: ModelAgent, version: number): ModelAgent {
  return { ...agent, releases: [...new Set([...agent.releases, version])].toSorted((a, b) => a - b) };
}

export function releaseOf(run: ModelRun): number {
  return run.reuse ?? run.version;
}

function emit(run: ModelRun, event: Unnumbered): ModelRun {
  if (run.nextSeq === null || run.isEnded) return run;
  return { ...run, unsent: [...run.unsent, { ...event, seq: run.nextSeq }], nextSeq: run.nextSeq + 1 };
}
