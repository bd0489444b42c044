import type { Instruction, RunEvent, ToAgent } from "#contract/agent-protocol.ts";
import type { DeploymentId, RunId } from "#contract/ids.ts";
import { report } from "./lane.ts";

type Run = {
  deploymentId: DeploymentId;
  version: number;
  reuse: number | null;
  runId: RunId;
  events: RunEvent[];
  ackedSeq: number;
  permitted: boolean;
  phase: "working" | "asked" | "done";
  keep: readonly number[];
};

const SHA = "0123456789abcdef0123456789abcdef01234567";

/** An agent without files and processes, as the protocol lets it be seen: it switches only with a permit. */
export class SimulatedAgent {
  current: number | null = null;
  releases = new Set<number>();
  /** What it has to say about having let go of the project. */
  forgotten: { purge: boolean } | null = null;
  #toForget: { purge: boolean } | null = null;
  readonly seen = new Set<RunId>();
  runs: Run[] = [];
  /** Every switch that it made, as [run, release]. */
  readonly switches: [RunId, number][] = [];

  hear(message: ToAgent): void {
    switch (message.type) {
      case "run": {
        const { order } = message;
        if (this.seen.has(order.run_id)) return;
        this.seen.add(order.run_id);
        const reuse =
          order.reuse_release !== null && this.releases.has(order.reuse_release) ? order.reuse_release : null;
        this.runs.push({
          deploymentId: order.deployment_id,
          version: order.version,
          reuse,
          runId: order.run_id,
          events: [],
          ackedSeq: 0,
          permitted: order.preapproved,
          phase: "working",
          keep: order.keep_releases,
        });
        return;
      }
      case "stop":
        return this.obey(message.run_id, "stop");
      case "correct_release":
        if (this.runs.length === 0 && this.releases.has(message.release)) this.current = message.release;
        return;
      case "remove_project":
        this.#toForget = message;
        if (this.runs.every((run) => run.phase === "done")) this.#forget();
        return;
      case "welcome":
        return;
    }
  }

  /** The next thing that the first run does. `succeeds`: whether its stage goes well. */
  work(succeeds: boolean): void {
    const [run] = this.runs;
    if (run === undefined || run.phase === "done") return;
    const isNew = run.events.length === 0;
    if (isNew && run.reuse !== null && !this.releases.has(run.reuse)) run.reuse = null;
    if (isNew) return this.#emit(run, { type: "stage", stage: run.reuse === null ? "fetch" : "activate" });
    if (!succeeds)
      return this.#finish(run, {
        outcome: "failed",
        failure: { code: "build_failed", message: "exit code 1", stage: "build" },
      });
    if (run.permitted) return this.#switch(run);
    if (run.phase === "working") {
      this.#emit(run, { type: "resolved", commit_sha: SHA, commit_message: "Change" });
      this.#emit(run, { type: "ready" });
      run.phase = "asked";
    }
  }

  obey(runId: RunId, instruction: Instruction): void {
    const run = this.runs.find((one) => one.runId === runId);
    if (run === undefined) return;
    switch (instruction) {
      case "continue":
        return;
      case "activate":
        run.permitted = true;
        return;
      case "stop":
        if (!run.permitted && run.phase !== "done") this.#finish(run, { outcome: "canceled" });
        return;
      case "ended":
        this.runs = this.runs.filter((one) => one !== run);
        // What it was told to forget comes before the orders that came later.
        if (this.runs.every(({ phase, events }) => phase === "done" || events.length === 0)) this.#forget();
    }
  }

  /** Dies and comes back without what it was doing. */
  crash(): void {
    this.runs = [];
    this.seen.clear();
  }

  report() {
    return report(this.current, [...this.releases]);
  }

  #switch(run: Run): void {
    const release = run.reuse ?? run.version;
    const previous = this.current;
    this.current = release;
    this.switches.push([run.runId, release]);
    this.releases = new Set(
      [...this.releases].filter((one) => run.keep.includes(one) || one === previous).concat(release),
    );
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    this.#finish(run, { outcome: "live", release, evidence });
  }

  #finish(run: Run, result: Extract<RunEvent, { type: "result" }>["result"]): void {
    run.phase = "done";
    this.#emit(run, { type: "result", result, project: this.report() });
    this.#forget();
  }

  /** It waits for its turn: what is under way comes first. */
  #forget(): void {
    if (this.#toForget === null) return;
    this.releases.clear();
    this.current = null;
    this.forgotten = this.#toForget;
    this.#toForget = null;
  }

  #emit(run: Run, event: Unnumbered): void {
    run.events.push({ ...event, seq: run.events.length + 1 });
  }
}

type Unnumbered = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, "seq">
    : never
  : never;
