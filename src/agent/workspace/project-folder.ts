import { join } from "node:path";

import type { ProjectId } from "#contract/ids.ts";

/** Where everything of one project lies; all paths absolute. `temp` holds what is in the making or in the bin. */
export type ProjectFolder = {
  readonly root: string;
  readonly mirrors: { readonly sha1: string; readonly sha256: string; readonly modules: string };
  readonly releases: string;
  readonly shared: string;
  readonly current: string;
  /** The commits that were live here. */
  readonly liveCommits: string;
  readonly journal: string;
  readonly restoring: string;
  readonly spool: string;
  readonly temp: string;
  /** What processes that activate commands have left running print. */
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
    restoring: join(root, "restore.json"),
    spool: join(root, "spool"),
    temp: join(root, "tmp"),
    output: join(root, "output"),
  };
}
