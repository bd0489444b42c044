import type { ProjectId } from "#contract/ids.ts";

/** The exclusive right to change a project, until `end`. */
export type Turn = {
  end(): void;
  /** Marks the rest of the work as not urgent: the project counts as free. */
  rest(): void;
  /** Aborted once another caller waits for this turn to end. Work that is not urgent should stop then. */
  readonly wanted: AbortSignal;
};

/** Runs one operation at a time for each project; different projects do not wait for each other. */
export type ProjectTurns = {
  /** Resolves when it is the caller's turn. */
  acquire(project: ProjectId): Promise<Turn>;
  isHeld(project: ProjectId): boolean;
};

export function createProjectTurns(): ProjectTurns {
  type Holder = { readonly ended: Promise<void>; readonly wanted: AbortController; isResting: boolean };
  const last = new Map<ProjectId, Holder>();
  return {
    async acquire(project) {
      const before = last.get(project);
      const { promise, resolve } = Promise.withResolvers<void>();
      const own: Holder = { ended: promise, wanted: new AbortController(), isResting: false };
      last.set(project, own);
      before?.wanted.abort();
      await before?.ended;
      return {
        wanted: own.wanted.signal,
        rest() {
          own.isResting = true;
        },
        end() {
          if (last.get(project) === own) last.delete(project);
          resolve();
        },
      };
    },
    isHeld: (project) => last.get(project)?.isResting === false,
  };
}
