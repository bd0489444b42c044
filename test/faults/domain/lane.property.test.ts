import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { RunEvent } from "#contract/agent-events.ts";
import type { ToAgent } from "#contract/agent-protocol.ts";
import type { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { Result } from "#contract/problems.ts";
import { commitRequests, noteCommitRequest } from "#domain/lane/commit-requests.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { type CommitResolved, decideCommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { decideDeleteProject, refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import { decideProjectRemoved } from "#domain/lane/decide-project-removed.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import type { Decision } from "#domain/lane/decision.ts";
import {
  pendingRemovals,
  noteRemovalSent,
  noteSent,
  noteUndelivered,
} from "#domain/lane/pending-messages.ts";
import { placementOf } from "#domain/lane/placements.ts";
import { currentFreeze, type ReadFreezes } from "#domain/freezes/project-freezes.ts";
import { isRunIn } from "#domain/lane/runs.ts";
import { heldOf } from "#domain/lane/holds.ts";
import {
  activeOf,
  emptyLane,
  findDeployment,
  isIn,
  type Lane,
  LaneDeployment,
  liveOf,
  type Plan,
  queuedOf,
} from "#domain/lane/lane.ts";
import type { Joined } from "#domain/lane/decide-start.ts";
import { discardable } from "#domain/lane/transitions.ts";
import { defaultPlan } from "../../support/plan.ts";
import {
  APPROVER,
  apply,
  CI,
  freezeBetween,
  OTHER_SERVER,
  PROJECT,
  resolvesTo,
  rollBack,
  SERVER,
  start,
  firstMessage,
} from "../../support/lane.ts";
import {
  crash,
  fail,
  forgetRuns,
  type ModelAgent,
  releaseOf,
  reportOf,
  startedAgent,
  receiveAnswer,
  receiveMessage,
  work,
  workingRun,
} from "../../support/model/model-agent.ts";

/** Enough steps must succeed, or projects would rarely be live on both servers. */
const often = <Value>(arbitrary: fc.Arbitrary<Value>) => ({ weight: 4, arbitrary });

/** A step of the world: of a client, the network, the agent or the clock. */
const step = fc.oneof(
  often(
    fc.record({
      do: fc.constant("start" as const),
      latest: fc.boolean(),
      emergency: fc.constantFrom(null, null, null, null, "checkout is down"),
    }),
  ),
  often(
    fc.record({
      do: fc.constant("roll back" as const),
      version: fc.option(fc.nat(12)),
      settings: fc.constantFrom(null, null, "current" as const, "deployed" as const),
      variables: fc.constantFrom(null, null, "current" as const, "deployed" as const),
    }),
  ),
  fc.record({
    do: fc.constant("change settings" as const),
    command: fc.constantFrom("one", "two", "three"),
    domain: fc.constantFrom("one.localhost", "two.localhost"),
    changesVariables: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("apply" as const),
    latest: fc.boolean(),
    emergency: fc.constantFrom(null, null, null, null, "checkout is down"),
  }),
  fc.record({ do: fc.constant("scale" as const), instances: fc.integer({ min: 1, max: 3 }) }),
  fc.constant({ do: "restart" as const }),
  fc.record({ do: fc.constantFrom("cancel" as const, "delete" as const), pick: fc.nat() }),
  often(fc.constant({ do: "move" as const })),
  fc.record({ do: fc.constant("want approvals" as const), wanted: fc.boolean() }),
  fc.record({ do: fc.constant("approve" as const), pick: fc.nat() }),
  fc.constant({ do: "push" as const }),
  fc.record({ do: fc.constant("ask for commits" as const), arrives: fc.boolean() }),
  fc.record({ do: fc.constant("answer" as const), pick: fc.nat(), isRepeated: fc.boolean() }),
  fc.record({ do: fc.constant("fetch tips" as const), always: fc.boolean() }),
  fc.record({
    do: fc.constant("freeze" as const),
    inSeconds: fc.constantFrom(-10, 0, 100),
    forSeconds: fc.constantFrom(0, 50, 500),
    isTold: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("tell" as const),
    told: fc.constantFrom("once", "twice", "lost", "nobody there"),
  }),
  often(
    fc.record({
      do: fc.constant("forget files" as const),
      arrives: fc.boolean(),
      answerArrives: fc.boolean(),
    }),
  ),
  often(fc.record({ do: fc.constant("go well" as const), rounds: fc.integer({ min: 1, max: 4 }) })),
  fc.record({ do: fc.constant("work" as const), on: fc.boolean(), succeeds: fc.boolean() }),
  fc.record({
    do: fc.constant("post" as const),
    on: fc.boolean(),
    resendFrom: fc.nat(3),
    skip: fc.nat(1),
    answerArrives: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("connect" as const),
    on: fc.boolean(),
    restart: fc.constantFrom(
      "none" as const,
      "none" as const,
      "keeps its runs" as const,
      "loses its runs" as const,
    ),
  }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 30, 400, 1000) }),
  fc.constant({ do: "drop old" as const }),
  fc.record({ do: fc.constant("delete project" as const), purge: fc.boolean() }),
);
/** The steps around an approval. */
const approvalStep = fc.oneof(
  fc.constant<Step>({ do: "push" }),
  often(fc.constant<Step>({ do: "start", latest: false, emergency: null })),
  fc.constant<Step>({ do: "roll back", version: null, settings: null, variables: null }),
  often(fc.constant<Step>({ do: "ask for commits", arrives: true })),
  often(fc.record({ do: fc.constant("answer" as const), pick: fc.nat(), isRepeated: fc.boolean() })),
  often(fc.record({ do: fc.constant("approve" as const), pick: fc.nat() })),
  fc.record({ do: fc.constant("fetch tips" as const), always: fc.boolean() }),
  often(fc.record({ do: fc.constant("go well" as const), rounds: fc.constant(2) })),
);
/** With `size`, because fast-check's default of about ten steps is too short. */
const steps = (maxLength: number) => fc.array(step, { maxLength, size: "max" });
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const servers = [SERVER, OTHER_SERVER] as const;

/** The lane, the agents of two servers and an unreliable network between them. */
class World {
  lane: Lane = emptyLane;
  readonly agents = new Map<ServerId, ModelAgent>(
    servers.map((id) => [id, startedAgent({ project_id: PROJECT, url: null })]),
  );
  /** Every switch that an agent made, as [run, release]. */
  readonly switches: [RunId, number][] = [];
  /** The events of each run that were acknowledged to the agent. It may send them again. */
  readonly #stored = new Map<RunId, RunEvent[]>();
  /** The server in the project's settings. */
  server: ServerId = SERVER;
  now = 0;
  /** The project's settings, and the revision of its variables. */
  plan: Plan = defaultPlan;
  revision = 0;
  /** What each version ran with when it went live. */
  readonly liveWith = new Map<number, RanWith>();
  /** What the approved deployments were to run with when they were approved. */
  readonly approvedWith = new Map<DeploymentId, RanWith>();
  /** The project's rule. */
  approval: ApprovalRule = "none";
  /** As in the database. A lane that is not told of a change gets it with the next start. */
  freezes: ReadFreezes = { sequence: 0, rules: [] };
  /** The commit of every branch. */
  tip = commitOf(0);
  /** Whether agents fetch the tip of the branch, whatever commit their order names. */
  #fetchesTips = false;
  #pushes = 0;
  /** The answers of agents that have not arrived. */
  #answers: CommitResolved[] = [];
  /** The commit that was approved, by the deployment. */
  readonly #approved = new Map<DeploymentId, string | null>();
  /** The scale at the request of each version. */
  readonly #scaleAt = new Map<number, Plan["processes"]>();
  readonly givenOut: number[] = [];
  /** The versions that are no rollbacks, in the order in which they were offered. */
  readonly offered: number[] = [];
  readonly permits = new Set<RunId>();
  /** The runs that were canceled or deleted before they had ended. */
  readonly withdrawn = new Set<RunId>();
  isPurged = false;

  agentOf(serverId: ServerId): ModelAgent {
    const agent = this.agents.get(serverId);
    if (agent === undefined) throw new Error(`no agent of ${serverId}`);
    return agent;
  }

  #deliver(serverId: ServerId, message: ToAgent): void {
    this.agents.set(serverId, receiveMessage(this.agentOf(serverId), this.#fetching(message)));
  }

  /** The message with the commit that its agent fetches. */
  #fetching(message: ToAgent): ToAgent {
    if (message.type !== "run") return message;
    const { source } = message.order;
    const isTip = source.commit === null || (this.#fetchesTips && !source.was_live);
    return isTip
      ? { ...message, order: { ...message.order, source: { ...source, commit: this.tip } } }
      : message;
  }

  perform(next: Step): void {
    const before = this.lane;
    this.#change(next);
    this.#check(before);
  }

  #change(next: Step): void {
    switch (next.do) {
      case "start":
        if (refuseIfDeleted(this.lane) !== null) return;
        return this.#join(start(this.lane, this.now, { ...this.#settings, ...requestOf(next) }));
      case "apply":
        if (refuseIfDeleted(this.lane) !== null) return;
        return this.#join(apply(this.lane, this.now, { ...this.#settings, ...requestOf(next) }));
      case "scale":
        if (refuseIfDeleted(this.lane) !== null) return;
        this.plan = { ...this.plan, processes: { web: { instances: next.instances } } };
        return this.#join(apply(this.lane, this.now, { ...this.#settings, onlyScale: true }));
      case "restart":
        if (refuseIfDeleted(this.lane) !== null) return;
        return this.#join(apply(this.lane, this.now, { ...this.#settings, restart: ["web"] }));
      case "roll back": {
        if (refuseIfDeleted(this.lane) !== null) return;
        const { version, settings, variables } = next;
        const runWith = { settings, variables };
        return this.#join(
          rollBack(this.lane, { deploymentId: null, version }, this.now, { ...this.#settings, runWith }),
        );
      }
      case "change settings":
        this.plan = { ...this.plan, activate_command: next.command, domain: next.domain };
        this.revision += Number(next.changesVariables);
        return;
      case "want approvals":
        this.approval = next.wanted ? "by_another" : "none";
        return;
      case "approve": {
        const queued = queuedOf(this.lane);
        const picked = queued[next.pick % Math.max(1, queued.length)];
        return picked === undefined ? undefined : this.approve(picked.id);
      }
      case "push":
        this.tip = commitOf((this.#pushes += 1));
        return;
      case "ask for commits":
        return this.askForCommits(next.arrives);
      case "answer": {
        const at = next.pick % Math.max(1, this.#answers.length);
        const answer = this.#answers[at];
        if (answer === undefined) return;
        if (!next.isRepeated) this.#answers.splice(at, 1);
        this.lane = decideCommitResolved(this.lane, answer, this.now).lane;
        return;
      }
      case "fetch tips":
        this.#fetchesTips = next.always;
        return;
      case "freeze": {
        const from = this.now + next.inSeconds * 1000;
        const rules = next.forSeconds === 0 ? [] : [freezeBetween(from, from + next.forSeconds * 1000)];
        return this.freeze(rules, next.isTold);
      }
      case "move":
        this.server = this.server === SERVER ? OTHER_SERVER : SERVER;
        return;
      case "delete project": {
        // Rarely, because it ends most other activity.
        if (this.lane.nextVersion < 4) return;
        const request = { serverId: this.server, purge: next.purge };
        const decided = decideDeleteProject(this.lane, request, this.now);
        if (decided.ok && next.purge) this.isPurged = true;
        return this.#accept(decided);
      }
      case "cancel":
      case "delete": {
        const picked = this.lane.deployments[next.pick % Math.max(1, this.lane.deployments.length)];
        if (picked === undefined) return;
        const decide = next.do === "cancel" ? decideCancel : decideDelete;
        const decided = decide(this.lane, picked.id, CI, this.now);
        if (decided.ok && isIn(picked, "queued", "active")) this.withdrawn.add(picked.runId);
        return this.#accept(decided);
      }
      case "tell":
        return this.tell(next.told);
      case "go well":
        for (let round = 0; round < next.rounds; round += 1) this.goWell();
        return;
      case "forget files":
        return this.forget(next.arrives, next.answerArrives);
      case "work":
        return this.work(serverOf(next.on), next.succeeds);
      case "post":
        return this.post(serverOf(next.on), next.resendFrom, next.skip, next.answerArrives);
      case "connect":
        return this.connect(serverOf(next.on), next.restart);
      case "wait":
        this.now += next.seconds * 1000;
        this.lane = decideDeadlines(this.lane, this.now).lane;
        return;
      case "drop old": {
        const gone = new Set(discardable(this.lane));
        this.lane = { ...this.lane, deployments: this.lane.deployments.filter((one) => !gone.has(one)) };
      }
    }
  }

  get #settings() {
    const { server: serverId, plan, revision, approval, freezes } = this;
    return { serverId, plan, variables: { revision, notSealed: [] }, approval, freezes };
  }

  approve(id: DeploymentId): void {
    const before = findDeployment(this.lane, id);
    const decided = decideApprove(
      this.lane,
      { id, actor: APPROVER, person: null, commit: null, until: null },
      this.now,
    );
    if (decided.ok && !this.#approved.has(id)) this.#approved.set(id, before?.commitSha ?? null);
    if (decided.ok && before?.approvedBy === null) this.approvedWith.set(id, ranWith(before));
    this.#accept(decided);
  }

  /** Sends the requests for commits. @param arrives whether the agents get them */
  askForCommits(arrives: boolean): void {
    for (const { deploymentId, serverId, message } of commitRequests(this.lane, PROJECT, this.now)) {
      this.lane = noteCommitRequest(this.lane, deploymentId, !arrives, this.now);
      const { repository } = message.source;
      const result = { ok: true, commit_sha: this.tip, commit_message: "Change" } as const;
      if (arrives) this.#answers.push({ deploymentId, serverId, repository, result });
    }
  }

  /** Changes the freezes in the database. @param isTold whether the lane hears of it */
  freeze(rules: ReadFreezes["rules"], isTold: boolean): void {
    this.freezes = { sequence: this.freezes.sequence + 1, rules };
    if (isTold && this.lane.deletedAt === null)
      this.lane = decideFreezes(this.lane, this.freezes, null, this.now).lane;
  }

  /** Ends everything that holds deployments. */
  release(): void {
    this.freeze([], true);
    for (const { version, pin } of queuedOf(this.lane))
      if (pin.name === "unknown") this.lane = resolvesTo(this.lane, version, this.now, this.tip).lane;
    for (const { id, approval } of queuedOf(this.lane)) if (approval !== "none") this.approve(id);
  }

  /** The next step if nothing is lost and nothing fails. */
  goWell(): void {
    this.tell("once");
    for (const serverId of servers) {
      do this.work(serverId, true);
      while (this.agentOf(serverId).runs.some(({ phase }) => phase === "permitted" || phase === "switched"));
      this.post(serverId, 0, 0, true);
    }
  }

  /** Takes the next step of the active run. @param succeeds whether the step succeeds */
  work(serverId: ServerId, succeeds: boolean): void {
    const agent = this.agentOf(serverId);
    const run = workingRun(agent);
    const waiting = agent.runs.find(({ phase }) => phase === "asked" || phase === "permitted");
    if (!succeeds && waiting !== undefined) {
      this.agents.set(serverId, fail(agent, waiting));
    } else if (run !== null) {
      this.agents.set(serverId, work(agent, run, succeeds));
      if (run.phase === "permitted") this.switches.push([run.runId, releaseOf(run)]);
    }
  }

  tell(told: "once" | "twice" | "lost" | "nobody there"): void {
    const due = firstMessage(this.lane, PROJECT, this.now);
    if (due === null) return;
    this.lane = noteSent(this.lane, due.runId, this.now);
    if (told === "nobody there") this.lane = noteUndelivered(this.lane, due.runId, this.now);
    const arrives = told === "once" || told === "twice";
    if (due.message.type === "run" && due.message.order.preapproved && arrives)
      this.permits.add(due.message.order.run_id);
    if (arrives) this.#deliver(due.serverId, due.message);
    if (told === "twice") this.#deliver(due.serverId, due.message);
  }

  /** Sends the pending removals. `arrives`, `answerArrives`: whether the message and its answer arrive. */
  forget(arrives: boolean, answerArrives: boolean): void {
    for (const { serverId, message } of pendingRemovals(this.lane, PROJECT, this.now)) {
      this.lane = noteRemovalSent(this.lane, serverId, false, this.now);
      if (arrives) this.#deliver(serverId, message);
    }
    for (const [serverId, agent] of this.agents) {
      const { removal } = agent;
      if (removal === null || !removal.isDone) continue;
      this.agents.set(serverId, { ...agent, removal: null });
      if (answerArrives) this.lane = decideProjectRemoved(this.lane, { serverId, purge: removal.purge }).lane;
    }
  }

  post(serverId: ServerId, resendFrom: number, skip: number, answerArrives: boolean): void {
    const agent = this.agentOf(serverId);
    const [run] = agent.runs;
    if (run === undefined) return;
    const stored = this.#stored.get(run.runId) ?? [];
    const resent = stored.slice(Math.max(0, stored.length - resendFrom));
    const events = [...resent, ...run.unsent].slice(skip);
    const { deploymentId, runId } = run;
    const decided = decideRunEvents(this.lane, { deploymentId, runId, serverId, events }, this.now);
    const before = liveOf(this.lane);
    const running = activeOf(this.lane);
    const active = running === null ? null : ranWith(running);
    this.lane = decided.lane;
    const live = liveOf(this.lane);
    if (live !== null && live.id !== before?.id && active !== null) this.liveWith.set(live.version, active);
    if (live?.kind === "config" && live.id !== before?.id)
      expect(live.codeVersion, "settings are applied to what was live").toBe(before?.codeVersion);
    const { acked_seq: ackedSeq, instruction } = decided.value;
    if (instruction === "activate") this.permits.add(runId);
    if (!answerArrives) return;
    this.#stored.set(runId, [...stored, ...run.unsent.filter(({ seq }) => seq <= ackedSeq)]);
    this.agents.set(serverId, receiveAnswer(agent, runId, ackedSeq, instruction));
  }

  connect(serverId: ServerId, restart: "none" | "keeps its runs" | "loses its runs"): void {
    const before = this.agentOf(serverId);
    const crashed = restart === "keeps its runs" ? crash(before) : forgetRuns(before);
    const agent = restart === "none" ? before : { ...crashed, isUp: true };
    this.agents.set(serverId, agent);
    const runIds = agent.runs.map((run) => run.runId);
    const decided = reconcile(this.lane, { serverId, report: reportOf(agent), runIds }, this.now);
    this.lane = decided.lane;
    const { serving } = decided.value;
    if (serving?.kind === "correct_release")
      this.#deliver(serverId, { type: "correct_release", project_id: PROJECT, release: serving.release });
  }

  #join(decided: Result<Joined>): void {
    if (!decided.ok) return;
    this.lane = decided.value.lane;
    const { version } = decided.value.value;
    this.#scaleAt.set(version, this.plan.processes);
    // The same settings that are applied twice are one deployment.
    if (!this.givenOut.includes(version)) this.givenOut.push(version);
  }

  #accept(decided: Result<Decision>): void {
    if (decided.ok) this.lane = decided.value.lane;
  }

  #check(before: Lane): void {
    const { deployments } = this.lane;
    const count = (...names: Parameters<typeof isIn>[1][]) =>
      deployments.filter((one) => isIn(one, ...names)).length;
    expect(count("active"), "at most one runs").toBeLessThanOrEqual(1);
    expect(count("live"), "at most one is live").toBeLessThanOrEqual(1);
    const held = heldOf(this.lane);
    if (count("queued") > 0)
      expect(activeOf(this.lane) ?? held, "a queue has something ahead of it").not.toBeNull();
    this.#checkOffered(before);
    expect(this.givenOut, "versions rise without a gap").toEqual(this.givenOut.map((_, index) => index + 1));
    const versions = deployments.map((one) => one.version);
    expect(versions, "a lane stands in the order of versions").toEqual(versions.toSorted((a, b) => a - b));
    for (const one of deployments)
      if (isIn(one, "queued"))
        expect(one.state.deadlineAt === null, "held ones have no deadline").toBe(held !== null);
      else if (isIn(one, "active"))
        for (const run of one.state.runs.filter((each) => isRunIn(each, "offered", "running")))
          expect(run.state.deadlineAt).toBeGreaterThan(0);
    const liveBefore = liveOf(before);
    if (liveBefore !== null && this.lane.deletedAt === null) {
      const now = deployments.find((one) => one.id === liveBefore.id);
      expect(now?.state.name, "the live one is only ever superseded").toMatch(/^(live|superseded)$/);
    }
    for (const [runId] of this.switches)
      expect([this.permits.has(runId), this.withdrawn.has(runId)], "switches only by permit").toEqual([
        true,
        false,
      ]);
    if (this.lane.deletedAt !== null) expect(deployments, "a deleted project has none").toEqual([]);
    const live = liveOf(this.lane);
    const host = live === null ? null : placementOf(this.lane, live.serverId);
    if (live !== null) expect(host?.state.name, "nobody takes down what is live").toBe("in_use");
    if (live !== null && live.approvedBy !== null && live.kind === "deploy")
      expect(
        [live.commitSha, live.state.served[0]?.evidence?.commit_sha],
        "an approved deployment is live with the commit that was approved",
      ).toEqual([this.#approved.get(live.id), this.#approved.get(live.id)]);
    for (const one of deployments) LaneDeployment.parse(JSON.parse(JSON.stringify(one)));
  }

  /** The deployments that were offered in this step are not held, and in order. */
  #checkOffered(before: Lane): void {
    const active = activeOf(this.lane);
    const earlier = active === null ? null : findDeployment(before, active.id);
    if (active === null || (earlier !== null && !isIn(earlier, "queued"))) return;
    const isPassing = queuedOf(this.lane).some(({ version }) => version < active.version);
    // A restart or change of scale leaves out what a freeze or an earlier deployment holds, although it was approved.
    const isUnheld = active.kind === "config" && (isPassing || !this.#isFree(active));
    const approved = isUnheld ? undefined : this.approvedWith.get(active.id);
    if (approved !== undefined) {
      const { revision, ...others } = ranWith(active);
      expect(withoutScale(others.plan), "what is approved runs as it was approved").toEqual(
        withoutScale(approved.plan),
      );
      expect(others.serverId).toBe(approved.serverId);
      expect(revision).toBeGreaterThanOrEqual(approved.revision);
    }
    if (active.kind === "rollback") return this.#checkRollback(before, active);
    if (active.emergency !== null) return;
    if (isUnheld) return this.#checkUnheld(active);
    expect(currentFreeze(this.lane.freezes, this.now), "nothing is offered in a freeze").toBeNull();
    const isApproved = active.approval === "none" || active.approvedBy !== null;
    expect(isApproved, "nothing is offered without its approval").toBe(true);
    expect(active.version, "what waits is offered in order").toBeGreaterThan(this.offered.at(-1) ?? 0);
    this.offered.push(active.version);
  }

  /** Whether nothing holds a deployment, whatever it changes. */
  #isFree({ approval, approvedBy }: LaneDeployment): boolean {
    const isApproved = approval === "none" || approvedBy !== null;
    return isApproved && currentFreeze(this.lane.freezes, this.now) === null;
  }

  /** Settings that pass a hold are live, except for the number of instances. */
  #checkUnheld(config: LaneDeployment): void {
    const live = this.#ranLive(liveOf(this.lane));
    const ran = ranWith(config);
    const onlyHeld = ({ plan: { activate_command, domain }, serverId, revision }: RanWith) => {
      return { activate_command, domain, serverId, revision };
    };
    expect(onlyHeld(ran), "a hold lets only what is live pass").toEqual(onlyHeld(live));
    const scales = [...this.#scaleAt].filter(([version]) => version >= config.version);
    if (config.onlyScale)
      expect(
        scales.map(([, scale]) => scale),
        "a change of scale is applied, or a later change that has passed it",
      ).toContainEqual(ran.plan.processes);
  }

  /** A rollback that passes a hold runs only settings that were live: now, or with its code. */
  #checkRollback(before: Lane, rollback: LaneDeployment): void {
    if (this.#isFree(rollback) || rollback.emergency !== null) return;
    const live = this.#ranLive(liveOf(this.lane));
    const target = this.#ranLive(findDeployment(before, rollback.runWith?.target ?? rollback.id) ?? rollback);
    const { plan, serverId, revision } = ranWith(rollback);
    expect([live.plan.activate_command, target.plan.activate_command]).toContain(plan.activate_command);
    expect([live.revision, target.revision]).toContain(revision);
    expect([plan.domain, serverId]).toEqual([live.plan.domain, live.serverId]);
  }

  #ranLive(deployment: LaneDeployment | null): RanWith {
    const ran = deployment === null ? undefined : this.liveWith.get(deployment.version);
    if (ran === undefined) throw new Error("it was never live, and a rollback to it has passed a hold");
    return ran;
  }
}

type RanWith = { readonly plan: Plan; readonly serverId: ServerId; readonly revision: number };

function ranWith({ serverId, variables, state }: LaneDeployment): RanWith {
  if (!("plan" in state) || state.plan === null) throw new Error(`${state.name} has no plan`);
  return { plan: state.plan, serverId, revision: variables?.revision ?? 0 };
}

const withoutScale = (plan: Plan): Plan => ({ ...plan, processes: {} });

const requestOf = ({ latest, emergency }: Extract<Step, { latest: boolean }>) => ({
  queue: latest ? ("latest" as const) : ("all" as const),
  emergency,
});

const commitOf = (pushes: number) => pushes.toString(16).padStart(40, "0");
const serverOf = (isOther: boolean): ServerId => servers[isOther ? 1 : 0];
const runsOf = ({ agents }: World) => [...agents.values()].reduce((sum, { runs }) => sum + runs.length, 0);
const unended = (lane: Lane) => lane.deployments.filter((one) => isIn(one, "queued", "active"));

/** The agent crashes before a removal that waits for a run. It must not carry it out after the next deployment. */
const interruptedRemoval: Step[] = [
  { do: "move" },
  { do: "start", latest: false, emergency: null },
  { do: "move" },
  { do: "start", latest: false, emergency: null },
  { do: "move" },
  { do: "go well", rounds: 1 },
  { do: "go well", rounds: 2 },
  { do: "go well", rounds: 2 },
  { do: "start", latest: false, emergency: null },
  { do: "go well", rounds: 2 },
  { do: "wait", seconds: 1000 },
  { do: "forget files", arrives: true, answerArrives: false },
  { do: "start", latest: false, emergency: null },
  { do: "connect", on: true, restart: "keeps its runs" },
];

describe("a lane with any events in any order", () => {
  it("runs one deployment at a time, has at most one live, increments versions, and switches only with a permit", () => {
    fc.assert(
      fc.property(steps(60), (performed) => {
        const world = new World();
        for (const next of performed) world.perform(next);
      }),
      { numRuns: 400 },
    );
  });

  it("puts live only the commits that were approved, also if agents fetch others", () => {
    fc.assert(
      fc.property(fc.array(approvalStep, { maxLength: 40, size: "max" }), (performed) => {
        const world = new World();
        world.approval = "required";
        for (const next of performed) world.perform(next);
      }),
      { numRuns: 100 },
    );
  });

  it("ends every deployment if it receives nothing more", () => {
    fc.assert(
      fc.property(steps(40), (performed) => {
        const world = new World();
        for (const next of performed) world.perform(next);
        // The clock advances only to the lane's next alarm, so a missing deadline means that the test never ends.
        for (let alarms = 0; unended(world.lane).length > 0; alarms += 1) {
          expect(alarms).toBeLessThan(2000);
          const wakeAt = nextDeadline(world.lane);
          if (wakeAt === null) throw new Error("something is unended, and no alarm is set");
          world.now = Math.max(world.now + 1000, wakeAt);
          world.tell("lost");
          world.lane = decideDeadlines(world.lane, world.now).lane;
        }
      }),
      { numRuns: 200 },
    );
  });

  it("leads, when the network works again, to one server that serves the live release and no other that serves anything", () => {
    fc.assert(
      fc.property(steps(60), (performed) => {
        const world = new World();
        for (const next of performed) world.perform(next);
        const settle = () => {
          for (let rounds = 0; unended(world.lane).length + runsOf(world) > 0 || rounds < 3; rounds += 1) {
            expect(rounds).toBeLessThan(500);
            world.now += 1000;
            world.lane = decideDeadlines(world.lane, world.now).lane;
            world.release();
            world.goWell();
            world.forget(true, true);
          }
        };
        for (const serverId of servers) world.connect(serverId, "none");
        settle();
        for (const serverId of servers) world.connect(serverId, "none");
        settle();
        const live = liveOf(world.lane);
        for (const serverId of servers) {
          const agent = world.agentOf(serverId);
          if (live?.serverId === serverId) {
            expect(agent.current).toBe(live.state.served[0]?.release);
          } else if (live !== null || world.isPurged) {
            expect([agent.current, ...agent.releases]).toEqual([null]);
          }
        }
        expect(world.lane.placements.filter((host) => host.state.name === "leaving")).toEqual([]);
      }),
      { numRuns: 400, examples: [[interruptedRemoval]] },
    );
  });
});
