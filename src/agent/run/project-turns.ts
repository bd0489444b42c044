import type { ProjectId } from "#contract/ids.ts";

/** One's turn with a project. */
export type Turn = {
  end(): void;
  /** Does only what nobody waits for from here on: the project counts as free. */
  rest(): void;
  /** Aborted once somebody waits for its end: what is not urgent should make room. */
  readonly wanted: AbortSignal;
};

/** Lets one thing at a time happen to a project; different projects do not wait for each other. */
export type ProjectTurns = {
  /** Resolves when it is one's turn. */
  take(project: ProjectId): Promise<Turn>;
  isTaken(project: ProjectId): boolean;
};

export function createProjectTurns(): ProjectTurns {
  type Holder = { readonly ended: Promise<void>; readonly wanted: AbortController; isResting: boolean };
  const last = new Map<ProjectId, Holder>();
  return {
    async take(project) {
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
    isTaken: (project) => last.get(project)?.isResting === false,
  };
}
