import type { Deployment, DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { DeploymentId, ServerId } from "#contract/ids.ts";
import { printable } from "#cli/output/printable.ts";
import { cut } from "#cli/output/table.ts";
import type { ServerNames } from "#cli/session/server-names.ts";
import { serverNames } from "#cli/session/server-names.ts";
import type { Session } from "#cli/session/session.ts";
import { countsText, latestRuns, runChangeText, runGrid, runState } from "#cli/views/run-text.ts";
import { serverPrefixes } from "#cli/views/server-prefix.ts";

/** How often the states are read. The stages come with the lines of the log. */
const EVERY_MS = 2_000;

/** How many servers have a line below the table that says why they are awaited. */
const MAX_AWAITED = 3;

/** What the servers of a followed deployment do, if it goes to several. */
export class RunsWatch {
  readonly nameOf: ServerNames;
  /** What a line of the log begins with: the name of its server. */
  readonly prefixOf: (line: LogLine) => string;
  readonly #session: Session;
  readonly #id: DeploymentId;
  readonly #printed = new Map<string, string>();
  /** Why servers have not taken the deployment yet. */
  readonly #awaited = new Map<ServerId, string>();
  #runs: readonly DeploymentRun[];
  #timer: NodeJS.Timeout | null;

  /** Reads the deployment. Null: it goes to one server, or cannot be read. With --json, nothing is read. */
  static async of(session: Session, id: DeploymentId): Promise<RunsWatch | null> {
    if (session.output.form === "json") return null;
    const read = await session.client.getDeployment({ params: { deployment_id: id } });
    if (!read.ok || read.value.runs.length === 0) return null;
    const ids = read.value.runs.map((run) => run.server_id);
    return new RunsWatch(session, read.value, await serverNames(session, read.value.project_id, ids));
  }

  private constructor(session: Session, { id, runs }: Deployment, nameOf: ServerNames) {
    this.nameOf = nameOf;
    this.#session = session;
    this.#id = id;
    this.#runs = latestRuns(runs);
    const ids = this.#runs.map((run) => run.server_id);
    this.prefixOf = serverPrefixes(session.output, ids, nameOf);
    // What was so before the command followed is no change.
    for (const run of this.#runs) this.#printed.set(keyOf(run), runState(run));
    this.#timer = setTimeout(() => void this.#look(), EVERY_MS);
  }

  /** A line says in which stage its server is, sooner than the next reading. In the queue it says why the server is not in one. */
  see({ server_id: id, stage, message }: LogLine): void {
    if (id === undefined || stage === "prune" || stage === "end") return;
    if (stage === "queued") return void this.#awaited.set(id, printable(message));
    this.#runs = this.#runs.map((run) =>
      run.server_id === id && (run.status === "running" || run.status === "offered")
        ? { ...run, status: "running", stage }
        : run,
    );
  }

  /** `6 live, 3 ready, 1 building` */
  get counts(): string {
    return countsText(this.#runs);
  }

  /** The lines of the table below the log. */
  grid(): string[] {
    const { output, stderr } = this.#session;
    // Some pseudo-terminals report a size of 0.
    const size = { columns: stderr.columns || 80, rows: stderr.rows || 24 };
    const grid = runGrid(this.#runs, this.nameOf, { style: output.style, now: Date.now(), size });
    const awaited = this.#runs.flatMap((run) => {
      const why = run.status === "offered" ? this.#awaited.get(run.server_id) : undefined;
      return why === undefined ? [] : cut(`${this.nameOf(run.server_id)}: ${why}`, size.columns - 1);
    });
    return [...grid, ...awaited.slice(0, MAX_AWAITED)];
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Prints the last changes. @param runs of the deployment that has ended */
  end(runs: readonly DeploymentRun[]): void {
    this.stop();
    this.#take(runs);
  }

  async #look(): Promise<void> {
    const read = await this.#session.client.getDeployment({ params: { deployment_id: this.#id } });
    if (this.#timer === null) return;
    this.#timer = setTimeout(() => void this.#look(), EVERY_MS);
    if (read.ok) this.#take(read.value.runs);
  }

  #take(runs: readonly DeploymentRun[]): void {
    this.#runs = latestRuns(runs);
    for (const run of runs) this.#print(run);
  }

  /** One line for each change of a state. A terminal has the table, so only failures are printed there. */
  #print(run: DeploymentRun): void {
    const { output } = this.#session;
    const state = runState(run);
    if (this.#printed.get(keyOf(run)) === state) return;
    this.#printed.set(keyOf(run), state);
    if (output.progress.isVisible && run.failure === null) return;
    if (state === "waiting") return;
    output.line(runChangeText(run, this.nameOf, output.style));
  }
}

const keyOf = ({ server_id: id, purpose }: DeploymentRun): string => `${id} ${purpose}`;
