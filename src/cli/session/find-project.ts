import { ProjectId } from "#contract/ids.ts";
import { readAll } from "#client/read-all.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { missingNamed } from "#cli/session/missing-named.ts";
import type { Session } from "#cli/session/session.ts";
import { variable } from "#cli/settings/variable.ts";
import { succeed } from "#contract/lib/result.ts";

/** `name` is null if the project was given by its ID, because the token may lack the scope to read projects. */
export type NamedProject = { readonly id: ProjectId; readonly name: string | null };

/** Finds the project from an argument, --project, GANTRY_PROJECT or the link file, in this order. */
export async function findProject(
  session: Session,
  word: string | null = null,
): Promise<Result<NamedProject>> {
  const { global, environment, linkedProject } = session;
  const wanted = word ?? global.project ?? variable(environment, "GANTRY_PROJECT") ?? linkedProject;
  if (wanted === null)
    return stop(
      "no_project",
      "Pass --project NAME, set GANTRY_PROJECT, or run gantry projects link NAME once in this repository.",
    );
  const id = ProjectId.safeParse(wanted);
  if (id.success) return succeed({ id: id.data, name: null });
  const projects = await readAll(session.client.listProjects, (page) => page.projects);
  if (!projects.ok) return projects;
  const project = projects.value.find(({ name }) => name === wanted);
  if (project !== undefined) return succeed(project);
  return missingNamed("project", wanted, projects.value);
}
