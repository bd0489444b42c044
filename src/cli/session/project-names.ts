import { readAll } from "#client/read-all.ts";
import type { ProjectId } from "#contract/ids.ts";
import { printableName } from "#cli/output/printable.ts";
import type { Session } from "#cli/session/session.ts";

/**
 * How to show these projects: by their names, or by their IDs if the token cannot list projects. Requests no names
 * that are not printed.
 */
export async function projectNames(
  { client, output }: Pick<Session, "client" | "output">,
  ids: readonly ProjectId[],
): Promise<(id: ProjectId) => string> {
  if (ids.length === 0 || output.form === "json") return (id) => id;
  const projects = await readAll(client.listProjects, (page) => page.projects);
  const names = new Map(projects.ok ? projects.value.map(({ id, name }) => [id, printableName(name)]) : []);
  return (id) => names.get(id) ?? id;
}
