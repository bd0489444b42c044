import { readdir } from "node:fs/promises";

import { readCurrent } from "#agent/workspace/current-link.ts";
import { projectFolder, type ProjectFolder, projectsFolder } from "#agent/workspace/project-folder.ts";
import { listReleases } from "#agent/workspace/releases.ts";
import { MAX_REPORTED_RELEASES, type ProjectReport } from "#contract/agent-protocol.ts";
import { ProjectId } from "#contract/ids.ts";

/** The agent's home folder, and where the site server serves each project. */
type ReportSource = {
  readonly home: string;
  readonly sites: { urlOf(projectId: ProjectId): string | null };
};

/** What a project serves, where, and what it keeps: read from the disk, and from what the site server has said. */
export async function reportProject(
  { home, sites }: ReportSource,
  projectId: ProjectId,
): Promise<ProjectReport> {
  const folder = projectFolder(home, projectId);
  // Of a folder that cannot be read nothing is kept; the agent has others to tell of.
  const { whole } = await listReleases(folder).catch(() => ({ whole: [] }));
  return {
    project_id: projectId,
    release: await readCurrent(folder),
    // A build can make folders here, and a message that says too much would cost the whole server its link.
    releases: whole.slice(-MAX_REPORTED_RELEASES),
    url: sites.urlOf(projectId),
  };
}

/** Every project that has a folder on this server. */
export async function listProjects(
  home: string,
): Promise<readonly { readonly id: ProjectId; readonly folder: ProjectFolder }[]> {
  const names = await readdir(projectsFolder(home)).catch(() => []);
  return names.flatMap((name) => {
    const id = ProjectId.safeParse(name);
    return id.success ? [{ id: id.data, folder: projectFolder(home, id.data) }] : [];
  });
}
