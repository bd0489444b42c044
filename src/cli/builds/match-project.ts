import { readAll } from "#client/read-all.ts";
import type { Source } from "#cli/builds/find-source.ts";
import type { Result } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import type { Session } from "#cli/session/session.ts";
import { isSameRepository } from "#contract/forge.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/** The list of projects has no repositories, so each project is read. Larger accounts name the project. */
const MOST_READ = 50;
const AT_ONCE = 8;

/**
 * Finds the project that deploys a repository by its remotes. If there are several, the project whose root directory is
 * the named folder.
 * @returns null if there is none, or still several, which a note names
 */
export async function matchProject(session: Session, source: Source): Promise<Result<Project | null>> {
  const { client, output } = session;
  if (source.remotes.length === 0) return succeed(null);
  const rows = await readAll(client.listProjects, (page) => page.projects, MOST_READ + 1);
  if (!rows.ok) return rows;
  if (rows.value.length > MOST_READ) {
    output.note("The account has many projects. Pass --project NAME to use the settings of one.");
    return succeed(null);
  }
  const matching: Project[] = [];
  for (let at = 0; at < rows.value.length; at += AT_ONCE) {
    const part = rows.value.slice(at, at + AT_ONCE);
    const read = await Promise.all(part.map(({ id }) => client.getProject({ params: { project_id: id } })));
    for (const project of read) {
      if (!project.ok) return project;
      const { repository } = project.value;
      if (source.remotes.some((remote) => isSameRepository(remote, repository))) matching.push(project.value);
    }
  }
  const inFolder = matching.filter(({ root_directory }) => root_directory === source.root);
  const [project, another] = inFolder.length === 1 ? inFolder : matching;
  if (another === undefined) return succeed(project ?? null);
  const names = matching.map(({ name }) => printableName(name)).join(", ");
  output.note(
    `Several projects deploy this repository: ${names}. Pass --project NAME to use the settings of one.`,
  );
  return succeed(null);
}
