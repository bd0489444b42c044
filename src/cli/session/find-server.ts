import { ServerId } from "#contract/ids.ts";
import { readAll } from "#client/read-all.ts";
import type { Result } from "#cli/outcome.ts";
import { missingNamed } from "#cli/session/missing-named.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** Finds a server's ID by its name or ID. */
export async function findServer(session: Session, word: string): Promise<Result<ServerId>> {
  const id = ServerId.safeParse(word);
  if (id.success) return succeed(id.data);
  const servers = await readAll(session.client.listServers, (page) => page.servers);
  if (!servers.ok) return servers;
  const server = servers.value.find(({ name }) => name === word);
  if (server !== undefined) return succeed(server.id);
  return missingNamed("server", word, servers.value);
}
