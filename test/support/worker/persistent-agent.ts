import type { ProjectReport, RunEvent, RunOrder } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type ConnectedAgent, output, type Unnumbered } from "./connected-agent.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";

/** What it finds in every project. */
export const PRESET = { framework: "static", build_command: null, output_directory: "public" } as const;

/** How long it says nothing of a run, as far as it has nothing to say. */
const SILENCE_MS = 5000;

type Run = {
  readonly order: RunOrder;
  events: RunEvent[];
  acked: number;
  isOver: boolean;
  /** When it last sent something that was answered, in Unix milliseconds. */
  saidAt: number;
};

/** How far a run goes by itself. `ready`: it does everything but ask for the permit. */
export type Until = "ready" | "result";

/**
 * A hand-driven agent that behaves as the real one under faults: it dials again, takes an order once, sends events until
 * they are acknowledged, and does what it is told, however often.
 */
export class PersistentAgent {
  readonly #link: ConnectedAgent;
  readonly #runs = new Map<string, Run>();
  readonly #serving = new Map<ProjectId, { release: number | null; releases: Set<number> }>();
  #heard = 0;
  until: Until = "result";
  /** Messages of output that a run brings, each a line. */
  lines: readonly string[] = ["one", "two", "three"];

  constructor(link: ConnectedAgent) {
    this.#link = link;
  }

  /** The release that it serves of a project. */
  releaseOf(project: ProjectId): number | null {
    return this.#of(project).release;
  }

  /** Somebody on the server has made it serve another release, and the link broke meanwhile. */
  isMadeToServe(project: ProjectId, release: number): void {
    this.#of(project).release = release;
    this.#link.cut();
  }

  /** One round of what an agent does all the time; what fails is tried again in the next. */
  async step(): Promise<void> {
    // What came before a link broke comes first: the hello of the next one tells of it.
    for (; this.#heard < this.#link.heard.length; this.#heard += 1) this.#hear();
    if (!this.#link.isOpen) await this.#dial();
    for (const run of this.#runs.values()) await this.#report(run);
  }

  #hear(): void {
    const message = this.#link.heard[this.#heard];
    switch (message?.type) {
      case "run":
        if (!this.#runs.has(message.order.run_id)) this.#begin(message.order);
        return;
      case "stop": {
        const run = this.#runs.get(message.run_id);
        if (run !== undefined) this.#end(run, { outcome: "canceled" });
        return;
      }
      case "correct_release":
        this.#of(message.project_id).release = message.release;
        this.#link.serving(this.#reportOf(message.project_id));
        return;
      case "remove_project":
        this.#serving.set(message.project_id, { release: null, releases: new Set() });
        this.#link.forgot(message.project_id, message.purge);
        return;
      case "welcome":
      case undefined:
        return;
    }
  }

  #begin(order: RunOrder): void {
    const run: Run = { order, events: [], acked: 0, isOver: false, saidAt: 0 };
    this.#runs.set(order.run_id, run);
    if (order.reuse_release === null) {
      add(run, { type: "stage", stage: "fetch" }, output(...this.lines));
      add(run, { type: "framework", preset: PRESET });
      add(run, { type: "resolved", commit_sha: SHA, commit_message: "Change the title" });
    }
    if (order.preapproved) this.#goLive(run);
  }

  async #report(run: Run): Promise<void> {
    if (run.isOver) return;
    const last = run.events.at(-1);
    if (this.until === "result" && last?.type !== "ready" && last?.type !== "result")
      add(run, { type: "ready" });
    const news = run.events.slice(run.acked);
    if (news.length === 0 && Date.now() - run.saidAt < SILENCE_MS) return;
    const answer = await this.#link.tryToPost(run.order, news);
    if (answer === null) return;
    run.saidAt = Date.now();
    run.acked = Math.max(run.acked, answer.acked_seq);
    const isResultIn = run.events.at(-1)?.type === "result" && run.acked >= run.events.length;
    if (answer.instruction === "ended" || isResultIn) run.isOver = true;
    else if (answer.instruction === "activate" && run.events.at(-1)?.type === "ready") this.#goLive(run);
    else if (answer.instruction === "stop") this.#end(run, { outcome: "canceled" });
  }

  #goLive(run: Run): void {
    const { project_id, reuse_release, version, keep_releases } = run.order;
    const release = reuse_release ?? version;
    const serving = this.#of(project_id);
    serving.release = release;
    serving.releases = new Set([...keep_releases, release]);
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    this.#end(run, { outcome: "live", release, evidence });
  }

  #end(run: Run, result: Extract<RunEvent, { type: "result" }>["result"]): void {
    if (run.events.at(-1)?.type === "result") return;
    add(run, { type: "result", result, project: this.#reportOf(run.order.project_id) });
  }

  async #dial(): Promise<void> {
    const projects = [...this.#serving.keys()].map((id) => this.#reportOf(id));
    const runs = [...this.#runs.values()].filter((run) => !run.isOver).map((run) => run.order);
    try {
      await this.#link.connect({ projects, runs });
    } catch {
      // The next round dials again.
    }
  }

  #reportOf(id: ProjectId): ProjectReport {
    const { release, releases } = this.#of(id);
    return { project_id: id, release, releases: [...releases], url: "http://127.0.0.1:9000" };
  }

  #of(id: ProjectId) {
    const known = this.#serving.get(id) ?? { release: null, releases: new Set<number>() };
    this.#serving.set(id, known);
    return known;
  }
}

function add(run: Run, ...events: Unnumbered[]): void {
  for (const event of events) run.events.push({ ...event, seq: run.events.length + 1 });
}
