import { readAll } from "#client/read-all.ts";
import type { ProjectId } from "#contract/ids.ts";
import { printableName } from "#cli/output/printable.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";

/**
 * How to show these projects: by their names, or by their IDs if the token cannot list projects. Requests no names
 * that are not printed.
 */
export async function projectNames(
  session: Pick<Session, "client" | "output" | "ownAccount" | "isTokenGiven">,
  ids: readonly ProjectId[],
): Promise<(id: ProjectId) => string> {
  const isUnneeded = ids.length === 0 || session.output.form === "json";
  if (isUnneeded || !(await mayCall(session, "listProjects"))) return (id) => id;
  const projects = await readAll(session.client.listProjects, (page) => page.projects);
  const names = new Map(projects.ok ? projects.value.map(({ id, name }) => [id, printableName(name)]) : []);
  return (id) => names.get(id) ?? id;
}
