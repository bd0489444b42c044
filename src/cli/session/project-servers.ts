import { type ProjectId, ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";

/** The option of a command that asks one of the servers of a project. */
export const onOption = {
  on: {
    kind: "text",
    value: "SERVER",
    help: "Server of the project, if it has several (default: the first)",
  },
} as const;

type NamedServer = { readonly id: ServerId; readonly name: string };

/** The servers of a project that has several. Empty: it has one, or the token may not read the project. */
export async function readProjectServers(session: Session, id: ProjectId): Promise<readonly NamedServer[]> {
  if (!(await mayCall(session, "getProject"))) return [];
  const project = await session.client.getProject({ params: { project_id: id } });
  return project.ok ? project.value.servers_state : [];
}

/** The part of a request that chooses a server of a project. @param word its name or ID; null: the first */
export async function chosenServer(
  session: Session,
  id: ProjectId,
  word: string | null,
): Promise<Result<{ server_id?: ServerId }>> {
  if (word === null) return succeed({});
  const given = ServerId.safeParse(word);
  if (given.success) return succeed({ server_id: given.data });
  const servers = await readProjectServers(session, id);
  if (servers.length > 0) return serverNamed(servers, word);
  const found = await findServer(session, word);
  return found.ok ? succeed({ server_id: found.value.id }) : found;
}

/** As `chosenServer`, for servers that were read already. */
export function serverNamed(servers: readonly NamedServer[], word: string): Result<{ server_id: ServerId }> {
  const wanted = word.normalize("NFC");
  const found = servers.find(({ id, name }) => id === word || name.normalize("NFC") === wanted);
  if (found !== undefined) return succeed({ server_id: found.id });
  const names = servers.map(({ name }) => name);
  return stop(
    "usage",
    `The project does not run on the server ${word}, but on ${names.join(", ")}.${didYouMean(word, names)}`,
  );
}
