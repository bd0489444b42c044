import { answerOf, type Passage, reportOf } from "./passages.ts";

/** A deployment whose start was answered with 201. */
export type Accepted = {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  /** Whether its deletion was answered with 204. */
  isDeleted: boolean;
};

/** The answers that clients and agents have received. The system must keep to them from then on. */
export type Ledger = {
  readonly accepted: Map<string, Accepted>;
  /** The number of starts without an answer, by project. Each may have created a deployment. */
  readonly unanswered: Map<string, number>;
  /**
   * The highest number of a build line that the control plane has acknowledged, by deployment and server
   * (`acknowledgedKey`). Of a server's first run only: a server that catches up writes no log.
   */
  readonly acknowledged: Map<string, number>;
  /** Deployments whose cancelation was answered with 200. */
  readonly canceled: Set<string>;
  /** Deployments whose agent has reported the activate stage. */
  readonly switched: Set<string>;
  accept(accepted: Omit<Accepted, "isDeleted">): void;
  of(projectId: string): Accepted[];
  /** Records the reports of a server's agent and their answers. */
  readonly watchOn: (serverId: string) => (passage: Passage) => void;
  /** Removes deployments that are no longer checked. */
  forget(ids: Iterable<string>): void;
};

export const LINE = /^line (\d+)$/;

export function acknowledgedKey(deploymentId: string, serverId: string): string {
  return `${deploymentId} ${serverId}`;
}

export function createLedger(): Ledger {
  const accepted = new Map<string, Accepted>();
  const acknowledged = new Map<string, number>();
  const canceled = new Set<string>();
  const switched = new Set<string>();
  const firstRuns = new Map<string, string>();
  return {
    accepted,
    unanswered: new Map(),
    acknowledged,
    canceled,
    switched,
    accept: (one) => void accepted.set(one.id, { ...one, isDeleted: false }),
    of: (projectId) => [...accepted.values()].filter((one) => one.projectId === projectId),
    watchOn: (serverId) => (passage) => {
      const answer = answerOf(passage);
      const report = reportOf(passage);
      if (report === null || (passage.kind !== "request" && passage.kind !== "answer")) return;
      if (report.events.some((event) => event.type === "stage" && event.stage === "activate"))
        switched.add(deploymentIn(passage.path));
      // Reports of an ended run are answered with `ended` and not stored.
      if (answer === null || answer.instruction === "ended" || passage.kind !== "answer") return;
      const key = acknowledgedKey(deploymentIn(passage.path), serverId);
      const firstRun = firstRuns.get(key) ?? report.run_id;
      firstRuns.set(key, firstRun);
      if (report.run_id !== firstRun) return;
      let highest = acknowledged.get(key) ?? 0;
      for (const event of report.events) {
        if (event.type !== "output" || event.seq > answer.acked_seq) continue;
        for (const { message, stage } of event.lines)
          if (stage === "build") highest = Math.max(highest, Number(LINE.exec(message)?.[1] ?? 0));
      }
      acknowledged.set(key, highest);
    },
    forget(ids) {
      for (const id of ids) {
        accepted.delete(id);
        for (const keys of [acknowledged, firstRuns])
          for (const key of keys.keys()) if (key.startsWith(`${id} `)) keys.delete(key);
        canceled.delete(id);
        switched.delete(id);
      }
    },
  };
}

/** The id of the deployment in the path of a report. */
function deploymentIn(path: string): string {
  return path.split("/")[4] ?? "";
}
