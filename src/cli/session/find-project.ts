import { ProjectId } from "#contract/ids.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { readAll } from "#client/read-all.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { missingNamed } from "#cli/session/missing-named.ts";
import type { Session } from "#cli/session/session.ts";
import { variable } from "#cli/settings/variable.ts";
import { succeed } from "#contract/lib/result.ts";

/** `name` is null where the project was given by its id: a token for deployments may not read projects. */
export type NamedProject = { readonly id: ProjectId; readonly name: string | null };

/** The project by a word of the command line, --project, GANTRY_PROJECT or the link file, in this order. */
export async function findProject(
  session: Session,
  word: string | null = null,
): Promise<Result<NamedProject>> {
  const { global, environment, linkedProject } = session;
  const wanted = word ?? global.project ?? variable(environment, "GANTRY_PROJECT") ?? linkedProject;
  if (wanted === null)
    return stop(
      "no_project",
      "Say which project: --project NAME, GANTRY_PROJECT, or once for this folder: gantry projects link NAME.",
    );
  const id = ProjectId.safeParse(wanted);
  if (id.success) return succeed({ id: id.data, name: null });
  const projects = await allProjects(session);
  if (!projects.ok) return projects;
  const project = projects.value.find(({ name }) => name === wanted);
  if (project !== undefined) return succeed(project);
  return missingNamed("project", wanted, projects.value);
}

export async function allProjects({ client }: Session): Promise<Result<readonly ProjectRow[]>> {
  return readAll(
    (query) => client.listProjects({ query }),
    (page) => page.projects,
  );
}
