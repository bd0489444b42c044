import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { expect, vi } from "vitest";

import type { RunEvent, RunEventsAnswer } from "#contract/agent-events.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { ActiveRun, ProjectReport, ToAgent } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";
import {
  type ModelAgent,
  type ModelRun,
  mustAnnounce,
  reportOf,
  SHA,
  startedAgent,
  receiveAnswer,
  receiveMessage,
  type Unnumbered,
  work,
  workingRun,
} from "../model/model-agent.ts";
import { AgentSocket } from "./agent-socket.ts";
import { emptyReport, output } from "./events.ts";

/** What the agent detects in every project. */
export const PRESET: DetectedPreset = {
  framework: "static",
  install_command: null,
  build_command: null,
  output_directory: "public",
  trailing_slash: "auto",
  fallback: null,
  app_type: "static",
  start_command: null,
  reasons: [],
};

const SITE_URL = "http://127.0.0.1:9000";

/** How often a run without news sends an empty report. */
const SIGN_OF_LIFE_MS = 5000;

/**
 * A simulated agent of one server, connected to a real control plane. A test drives it by hand, with one call for each
 * message, or lets it work by itself with `step`, as `ModelAgent` says.
 */
export class ConnectedAgent extends AgentSocket {
  readonly #seqs = new Map<string, number>();
  readonly #projects = new Map<ProjectId, ModelAgent>();
  /** When each run last had an answer, in Unix milliseconds. */
  readonly #answeredAt = new Map<string, number>();
  #read = 0;
  /** How far `step` takes a run. `build`: it fetches, and reports the output, but does not finish its build. */
  until: "build" | "result" = "result";
  /** The lines of output that `step` reports of a run. */
  lines: readonly string[] = ["one", "two", "three"];
  /** Whether the health check of a run succeeds in `step`. */
  isHealthy: (run: ModelRun) => boolean = () => true;

  /** Another process with the same credential, or with a new one of the same server. */
  sameAgent(credential = this.credential): ConnectedAgent {
    return new ConnectedAgent(this.network, { serverId: this.serverId, credential });
  }

  /** Waits for the request to remove a project, and confirms it. */
  async confirmsRemoval(projectId: string): Promise<{ purge: boolean }> {
    const { project_id, purge } = await this.receives("remove_project");
    expect(project_id).toBe(projectId);
    this.confirmRemoval(project_id, purge);
    return { purge };
  }

  /** Waits for the order of a deployment. */
  async orderOf(deploymentId: string): Promise<RunOrder> {
    return await vi.waitFor(() => {
      const order = this.received
        .flatMap((one) => (one.type === "run" ? [one.order] : []))
        .findLast((one) => one.deployment_id === deploymentId);
      if (order === undefined) throw new Error(`no order for ${deploymentId}`);
      return order;
    });
  }

  /** Waits for a message of a type. */
  async receives<Type extends ToAgent["type"]>(type: Type): Promise<Extract<ToAgent, { type: Type }>> {
    const isWanted = (message: ToAgent): message is Extract<ToAgent, { type: Type }> => message.type === type;
    return await vi.waitFor(() => {
      const message = this.received.findLast(isWanted);
      if (message === undefined) throw new Error(`no ${type} message`);
      return message;
    });
  }

  /** Reports events of a run. Their numbers continue after the events reported before. */
  async reports(order: RunOrder, ...events: Unnumbered[]): Promise<RunEventsAnswer> {
    let seq = this.#seqs.get(order.run_id) ?? 0;
    const numbered = events.map((event): RunEvent => ({ ...event, seq: (seq += 1) }));
    this.#seqs.set(order.run_id, seq);
    return await this.postEvents(order, numbered);
  }

  /** Reports a whole run that goes live. */
  async completes(order: RunOrder, releases: number[] = []): Promise<void> {
    const release = order.reuse_release ?? order.version;
    if (order.reuse_release === null) {
      await this.reports(order, { type: "stage", stage: "fetch" }, output("Fetched"), {
        type: "resolved",
        commit_sha: SHA,
        commit_message: "Change the title",
      });
    }
    if (!order.preapproved)
      expect(await this.reports(order, { type: "ready" })).toMatchObject({ instruction: "activate" });
    const project: ProjectReport = {
      project_id: order.project_id,
      release,
      releases: [...new Set([...releases, ...order.keep_releases, release])],
      url: SITE_URL,
    };
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    await this.reports(order, { type: "result", result: { outcome: "live", release, evidence }, project });
  }

  async reportsCanceled(order: RunOrder): Promise<void> {
    await this.reports(order, {
      type: "result",
      result: { outcome: "canceled" },
      project: emptyReport(order),
    });
  }

  /** The release of a project that the agent serves in `step`. */
  releaseOf(project: ProjectId): number | null {
    return this.#of(project).current;
  }

  /** Changes the served release, as a person on the server could, and cuts the link. */
  serveWithoutOrder(project: ProjectId, release: number): void {
    this.#projects.set(project, { ...this.#of(project), current: release });
    this.cut();
  }

  /**
   * Does what an agent does all the time: takes messages, connects again, works and sends events until they are
   * acknowledged. A request that fails is sent again in the next step.
   */
  async step(): Promise<void> {
    // Messages of a broken link come first, because the next hello reports their effects.
    for (; this.#read < this.received.length; this.#read += 1) this.#receive(this.received[this.#read]);
    if (!this.isOpen) await this.#reconnect();
    for (const id of this.#projects.keys()) {
      this.#work(id);
      for (const run of this.#of(id).runs) await this.#report(id, run);
    }
  }

  #receive(message: ToAgent | undefined): void {
    if (message === undefined || message.type === "welcome" || message.type === "watch") return;
    if (message.type === "set_drain" || message.type === "set_fleet") return;
    const id = message.type === "run" ? message.order.project_id : message.project_id;
    this.#become(id, receiveMessage(this.#of(id), message));
  }

  #work(id: ProjectId): void {
    for (;;) {
      const agent = this.#of(id);
      const run = workingRun(agent);
      if (run === null || (run.phase === "preparing" && this.until === "build")) return;
      const isGood = run.phase !== "switched" || this.isHealthy(run);
      this.#become(
        id,
        work(agent, run, isGood, [output(...this.lines), { type: "framework", preset: PRESET }]),
      );
    }
  }

  async #report(id: ProjectId, { runId, deploymentId, unsent }: ModelRun): Promise<void> {
    const isSilent = Date.now() - (this.#answeredAt.get(runId) ?? 0) >= SIGN_OF_LIFE_MS;
    if (unsent.length === 0 && !isSilent) return;
    const run = { project_id: id, deployment_id: deploymentId, run_id: runId };
    const answer = await this.tryToPost(run, unsent);
    if (answer === null) return;
    this.#answeredAt.set(runId, Date.now());
    const { acked_seq: ackedSeq, instruction } = answer;
    const last = unsent.at(-1);
    const isResultStored = last?.type === "result" && last.seq <= ackedSeq;
    this.#become(id, receiveAnswer(this.#of(id), runId, ackedSeq, instruction), isResultStored);
  }

  /** @param isReported whether a result that the control plane has stored reports the change */
  #become(id: ProjectId, agent: ModelAgent, isReported = false): void {
    const isAnnounced = !isReported && mustAnnounce(this.#of(id), agent);
    const { removal } = agent;
    this.#projects.set(id, removal?.isDone === true ? { ...agent, removal: null } : agent);
    // Without a link, the next hello reports the change.
    if (!this.isOpen) return;
    if (removal?.isDone === true) this.confirmRemoval(id, removal.purge);
    else if (isAnnounced) this.serving(reportOf(agent));
  }

  async #reconnect(): Promise<void> {
    const agents = [...this.#projects.entries()];
    const runs = agents.flatMap(([id, agent]) =>
      agent.runs.map(({ deploymentId, runId }): ActiveRun => ({
        project_id: id,
        deployment_id: deploymentId,
        run_id: runId,
      })),
    );
    try {
      await this.connect({ projects: agents.map(([, agent]) => reportOf(agent)), runs });
    } catch {
      // The next step connects again.
    }
  }

  #of(id: ProjectId): ModelAgent {
    const known = this.#projects.get(id) ?? startedAgent({ project_id: id, url: SITE_URL });
    this.#projects.set(id, known);
    return known;
  }
}
