import type { ProjectId } from "#contract/ids.ts";

/** Lets one thing at a time happen to a project; different projects do not wait for each other. */
export type ProjectTurns = {
  /** Resolves when it is one's turn, with what ends it. */
  take(project: ProjectId): Promise<() => void>;
  isTaken(project: ProjectId): boolean;
};

export function createProjectTurns(): ProjectTurns {
  const last = new Map<ProjectId, Promise<void>>();
  return {
    async take(project) {
      const before = last.get(project);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(project, promise);
      await before;
      return () => {
        if (last.get(project) === promise) last.delete(project);
        resolve();
      };
    },
    isTaken: (project) => last.has(project),
  };
}
