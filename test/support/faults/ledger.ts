import { answerOf, type Passage, reportOf } from "./passages.ts";

/** A deployment that a client was told of, with a 201. */
export type Accepted = {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  /** A client was told, with a 204, that it is gone. */
  isDeleted: boolean;
};

/** What clients and agents were told, and what must therefore be true for ever. */
export type Ledger = {
  readonly accepted: Map<string, Accepted>;
  /** Starts whose clients gave up without an answer: each may or may not have led to a deployment, by project. */
  readonly unanswered: Map<string, number>;
  /** The highest numbered line of a build that the control plane has acknowledged, by deployment. */
  readonly acknowledged: Map<string, number>;
  /** Deployments whose cancelation was answered with 200. */
  readonly canceled: Set<string>;
  /** Deployments whose agents have reported that they switch to them. */
  readonly switched: Set<string>;
  accept(accepted: Omit<Accepted, "isDeleted">): void;
  of(projectId: string): Accepted[];
  /** Sees what an agent reports and is answered. */
  readonly watch: (passage: Passage) => void;
  /** Forgets deployments that are of no interest any more. */
  forget(ids: Iterable<string>): void;
};

export const LINE = /^line (\d+)$/;

export function createLedger(): Ledger {
  const accepted = new Map<string, Accepted>();
  const acknowledged = new Map<string, number>();
  const canceled = new Set<string>();
  const switched = new Set<string>();
  return {
    accepted,
    unanswered: new Map(),
    acknowledged,
    canceled,
    switched,
    accept: (one) => void accepted.set(one.id, { ...one, isDeleted: false }),
    of: (projectId) => [...accepted.values()].filter((one) => one.projectId === projectId),
    watch(passage) {
      const answer = answerOf(passage);
      const report = reportOf(passage);
      if (report === null || (passage.kind !== "request" && passage.kind !== "answer")) return;
      if (report.events.some((event) => event.type === "stage" && event.stage === "activate"))
        switched.add(deploymentIn(passage.path));
      // A run that is over is told so whatever it sends: nothing of that is stored.
      if (answer === null || answer.instruction === "ended" || passage.kind !== "answer") return;
      const id = deploymentIn(passage.path);
      let highest = acknowledged.get(id) ?? 0;
      for (const event of report.events) {
        if (event.type !== "output" || event.seq > answer.acked_seq) continue;
        for (const { message, stage } of event.lines)
          if (stage === "build") highest = Math.max(highest, Number(LINE.exec(message)?.[1] ?? 0));
      }
      acknowledged.set(id, highest);
    },
    forget(ids) {
      for (const id of ids) {
        accepted.delete(id);
        acknowledged.delete(id);
        canceled.delete(id);
        switched.delete(id);
      }
    },
  };
}

/** The deployment that a report is about. */
function deploymentIn(path: string): string {
  return path.split("/")[4] ?? "";
}
