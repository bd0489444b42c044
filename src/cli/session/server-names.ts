import { readAll } from "#client/read-all.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { printableName } from "#cli/output/printable.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";

/** How to show a server: by its name, or by its ID if the name is not known. */
export type ServerNames = (id: ServerId) => string;

/**
 * How to show the servers of a project, as far as the token may read their names. Requests no names that are not printed.
 * @param ids the servers that are shown
 * @param isNeeded default: not with --json, which has the IDs
 */
export async function serverNames(
  session: Pick<Session, "client" | "output" | "ownAccount" | "isTokenGiven">,
  projectId: ProjectId,
  ids: readonly ServerId[],
  isNeeded = session.output.form !== "json",
): Promise<ServerNames> {
  const isUnneeded = ids.length === 0 || !isNeeded;
  return namesFrom(isUnneeded ? [] : await readNames(session, projectId));
}

type Named = { readonly id: ServerId; readonly name: string };

/** As `serverNames`, for servers that were read already. */
export function namesFrom(servers: readonly Named[]): ServerNames {
  const names = new Map(servers.map(({ id, name }) => [id, printableName(name)]));
  return (id) => names.get(id) ?? id;
}

async function readNames(
  session: Pick<Session, "client" | "ownAccount" | "isTokenGiven">,
  projectId: ProjectId,
): Promise<readonly Named[]> {
  const { client } = session;
  if (await mayCall(session, "listServers")) {
    const servers = await readAll(client.listServers, (page) => page.servers);
    if (servers.ok) return servers.value;
  }
  if (!(await mayCall(session, "getProject"))) return [];
  const project = await client.getProject({ params: { project_id: projectId } });
  return project.ok ? project.value.servers_state : [];
}
