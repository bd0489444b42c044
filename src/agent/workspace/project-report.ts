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

/** Reports which release a project serves, at which URL, and which releases it keeps. */
export async function reportProject(
  { home, sites }: ReportSource,
  projectId: ProjectId,
): Promise<ProjectReport> {
  const folder = projectFolder(home, projectId);
  // An unreadable folder counts as empty, so that the other projects can still be reported.
  const { complete } = await listReleases(folder).catch(() => ({ complete: [] }));
  return {
    project_id: projectId,
    release: await readCurrent(folder),
    // A build can create folders here, and a message over the size limit would close the link of the whole server.
    releases: complete.slice(-MAX_REPORTED_RELEASES),
    url: sites.urlOf(projectId),
  };
}

/** All projects with a folder on this server. */
export async function listProjects(
  home: string,
): Promise<readonly { readonly id: ProjectId; readonly folder: ProjectFolder }[]> {
  const names = await readdir(projectsFolder(home)).catch(() => []);
  return names.flatMap((name) => {
    const id = ProjectId.safeParse(name);
    return id.success ? [{ id: id.data, folder: projectFolder(home, id.data) }] : [];
  });
}
