import { readdir } from "node:fs/promises";

import { projectFolder, type ProjectFolder, projectsFolder } from "#agent/workspace/project-folder.ts";
import { ProjectId } from "#contract/ids.ts";

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
