import type { ProjectId, ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Result } from "#cli/outcome.ts";
import { chosenServer, readProjectServers, serverNamed } from "#cli/session/project-servers.ts";
import { namesFrom } from "#cli/session/server-names.ts";
import type { Session } from "#cli/session/session.ts";
import { serverPrefixes } from "#cli/views/server-prefix.ts";

/**
 * A server whose output is printed. `server`: the part of a request that chooses it; empty: the first. `prefix`: before each of
 * its lines; empty: it is the only server.
 */
export type OutputServer = {
  readonly server: { server_id?: ServerId };
  readonly name: string;
  readonly prefix: string;
};

/** The servers that `--server` names, or else all servers of the project, for `gantry logs --app`. */
export async function chooseOutputServers(
  session: Session,
  id: ProjectId,
  words: readonly string[],
): Promise<Result<readonly OutputServer[]>> {
  const [word, ...others] = words;
  if (word !== undefined && others.length === 0) {
    const server = await chosenServer(session, id, word);
    return server.ok ? succeed([{ server: server.value, name: word, prefix: "" }]) : server;
  }
  const servers = await readProjectServers(session, id);
  const chosen: ServerId[] = [];
  for (const one of words) {
    const found = serverNamed(servers, one);
    if (!found.ok) return found;
    chosen.push(found.value.server_id);
  }
  const shown = words.length === 0 ? servers : servers.filter((server) => chosen.includes(server.id));
  if (shown.length < 2) return succeed([{ server: {}, name: "", prefix: "" }]);
  const nameOf = namesFrom(shown);
  const prefixOf = serverPrefixes(
    session.output,
    shown.map((server) => server.id),
    nameOf,
  );
  return succeed(
    shown.map(({ id: server_id }) => ({
      server: { server_id },
      name: nameOf(server_id),
      prefix: session.output.form === "plain" ? `${nameOf(server_id)}\t` : prefixOf({ server_id }),
    })),
  );
}
