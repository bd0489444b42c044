import type { AgentContext } from "#agent/context/context.ts";
import type { ProjectTurns } from "#agent/run/project-turns.ts";
import { refuseRun, acceptRun, type AcceptedRun } from "#agent/run/accept-run.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { ActiveRun } from "#contract/agent-protocol.ts";
import type { ProjectId, RunId } from "#contract/ids.ts";

/** How many run IDs are kept to recognize repeated messages. */
const MAX_KNOWN_RUNS = 500;

/** The runs that the control plane has ordered, from the order until the result is delivered. */
export type OrderedRuns = {
  /** Accepts an order. A run that is known already is not started again. */
  accept(order: RunOrder): void;
  /** As `accept`, for an order that cannot be read: the run fails. */
  refuse(run: ActiveRun, problem: string): void;
  /** Stops a run. If its order arrives later, the run does not start. */
  stop(id: RunId): void;
  /** Has a run ask for its permit now, or with null all runs. Runs that do not wait for one are left alone. */
  askAgain(id: RunId | null): void;
  /** Notes a run of an earlier agent process, so that its order does not start it again. */
  noteKnown(id: RunId): void;
  active(): readonly ActiveRun[];
  /** Interrupts all runs, because the agent ends. @returns these runs */
  shutDown(): readonly AcceptedRun[];
};

/** @param onEnded called when the control plane itself has ended a run of this project */
export function createOrderedRuns(
  context: AgentContext,
  turns: ProjectTurns,
  onEnded: (project: ProjectId) => void,
): OrderedRuns {
  const taken = new Map<RunId, AcceptedRun>();
  const known = new Set<RunId>();
  /** Runs whose `stop` arrived before their order. */
  const stoppedEarly = new Set<RunId>();

  function keep(run: AcceptedRun, name: string): void {
    const { project_id, run_id } = run.run;
    taken.set(run_id, run);
    if (stoppedEarly.delete(run_id)) run.interrupt.raise("stop");
    void run.delivered.then((delivery) => {
      taken.delete(run_id);
      const end = delivery === "stored" ? "has ended" : "was ended by the control plane";
      context.log(`${name}: run ${run_id} ${end}`);
      if (delivery === "ended") onEnded(project_id);
    });
  }

  return {
    accept(order) {
      if (known.has(order.run_id)) return;
      addBounded(known, order.run_id);
      context.log(`${order.project_name}: v${order.version}, run ${order.run_id}`);
      keep(acceptRun(context, turns, order), order.project_name);
    },
    refuse(run, problem) {
      if (known.has(run.run_id)) return;
      addBounded(known, run.run_id);
      context.log(`${run.project_id}: the order of run ${run.run_id} cannot be read: ${problem}`);
      keep(refuseRun(context, run, problem), run.project_id);
    },
    stop(id) {
      taken.get(id)?.interrupt.raise("stop");
      if (!known.has(id)) addBounded(stoppedEarly, id);
    },
    askAgain(id) {
      for (const run of taken.values()) if (id === null || run.run.run_id === id) run.askAgain();
    },
    noteKnown: (id) => addBounded(known, id),
    active: () => [...taken.values()].map(({ run }) => run),
    shutDown() {
      const running = [...taken.values()];
      for (const { interrupt } of running) interrupt.raise("shutdown");
      return running;
    },
  };
}

/** Adds an ID, and drops the oldest one of too many. */
function addBounded(ids: Set<RunId>, id: RunId): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_KNOWN_RUNS && oldest !== undefined) ids.delete(oldest);
}
