import type { RunResult } from "#contract/agent-events.ts";
import type { StageTime } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

type Outcome = RunResult["outcome"];

/** The runs of a project since the agent started. */
export type ProjectRuns = {
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly last: Outcome;
  /** When the last run ended, in Unix milliseconds. */
  readonly endedAt: number;
  /** How long the stages of the last run took. */
  readonly stages: readonly StageTime[];
};

/** What the agent remembers of the runs that it carried out, for its metrics. */
export type RunOutcomes = {
  /** @param endedAt Unix milliseconds */
  note(project: ProjectId, outcome: Outcome, stages: readonly StageTime[], endedAt: number): void;
  of(project: ProjectId): ProjectRuns | null;
};

export function createRunOutcomes(): RunOutcomes {
  const projects = new Map<ProjectId, ProjectRuns>();
  return {
    note(project, outcome, stages, endedAt) {
      const before = projects.get(project)?.counts ?? { live: 0, built: 0, failed: 0, canceled: 0 };
      const counts = { ...before, [outcome]: before[outcome] + 1 };
      projects.set(project, { counts, last: outcome, endedAt, stages });
    },
    of: (project) => projects.get(project) ?? null,
  };
}
