import { join } from "node:path";

import type { ProjectId } from "#contract/ids.ts";

/** The folders and files of one project. All paths are absolute. */
export type ProjectFolder = {
  readonly root: string;
  readonly mirrors: { readonly sha1: string; readonly sha256: string; readonly modules: string };
  readonly releases: string;
  readonly shared: string;
  readonly current: string;
  /** A list of the commits that were live on this server. */
  readonly liveCommits: string;
  readonly journal: string;
  readonly correction: string;
  readonly spool: string;
  /** Unfinished files, and files that are about to be deleted. */
  readonly temp: string;
  /** Output of processes that activate commands left running. */
  readonly output: string;
};

export function projectsFolder(home: string): string {
  return join(home, "projects");
}

export function projectFolder(home: string, projectId: ProjectId): ProjectFolder {
  const root = join(projectsFolder(home), projectId);
  return {
    root,
    mirrors: {
      sha1: join(root, "mirror.git"),
      sha256: join(root, "mirror-sha256.git"),
      modules: join(root, "modules"),
    },
    releases: join(root, "releases"),
    shared: join(root, "shared"),
    current: join(root, "current"),
    liveCommits: join(root, "live-commits.json"),
    journal: join(root, "run.json"),
    correction: join(root, "correction.json"),
    spool: join(root, "spool"),
    temp: join(root, "tmp"),
    output: join(root, "output"),
  };
}
