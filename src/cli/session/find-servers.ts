import { readAll } from "#client/read-all.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { isAlone, type ProjectServer, projectServers } from "#contract/endpoints/projects/servers.ts";
import { ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { readPlace } from "#cli/commands/server-options.ts";
import { missing, type Result, stop } from "#cli/outcome.ts";
import { findServer } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

type Given = { readonly server: readonly string[]; readonly "cron-server": string | null };
type Known = { readonly id: ServerId; readonly name: string };

/** The fields of a request for the servers of a project. One server on which everything runs is `server_id` alone. */
type ServerFields = { readonly server_id?: ServerId; readonly servers?: ProjectServer[] };

/**
 * The servers of `--server` and `--cron-server`; no field without them.
 * @param current the project before the change; null for a new project, or if the token may not read it
 */
export async function findServers(
  session: Session,
  { server: words, "cron-server": cronWord }: Given,
  current: Pick<Project, "server_id" | "servers"> | null,
): Promise<Result<ServerFields>> {
  const [only, ...others] = words;
  const isPlain = only !== undefined && others.length === 0 && cronWord === null && !only.includes("=");
  if (isPlain && (current === null || isAlone(current.servers))) {
    const found = await findServer(session, only);
    return found.ok ? succeed({ server_id: found.value.id }) : found;
  }
  if (only === undefined && cronWord === null) return succeed({});
  const known = await readServers(session, [...words, ...(cronWord === null ? [] : [cronWord])]);
  if (!known.ok) return known;
  const servers = only === undefined ? currentServers(current) : serversIn(words, known.value);
  if (!servers.ok) return servers;
  if (cronWord === null) return succeed({ servers: [...servers.value] });
  return withCronServer(servers.value, cronWord, known.value);
}

/** The servers of the account; empty if all words are IDs, because the token may lack the scope to list servers. */
async function readServers(session: Session, words: readonly string[]): Promise<Result<readonly Known[]>> {
  const isId = (word: string) => ServerId.safeParse(word.split("=")[0]).success;
  if (words.every(isId)) return succeed([]);
  return await readAll(session.client.listServers, (page) => page.servers);
}

function currentServers(
  current: Pick<Project, "server_id" | "servers"> | null,
): Result<readonly ProjectServer[]> {
  if (current === null) return stop("usage", "--cron-server needs the project's servers: pass --server too.");
  return succeed(projectServers(current.server_id, current.servers));
}

function serversIn(words: readonly string[], known: readonly Known[]): Result<readonly ProjectServer[]> {
  const servers: ProjectServer[] = [];
  for (const text of words) {
    const place = readPlace(text, known);
    if (!place.ok) return place;
    const { word, processes } = place.value;
    const found = find(word, known);
    if (!found.ok) return found;
    if (servers.some(({ id }) => id === found.value))
      return stop(
        "usage",
        `--server names ${word} twice. A server's processes are one list: ${word}=web,worker.`,
      );
    servers.push({ id: found.value, processes, cron: false });
  }
  return succeed(servers);
}

function withCronServer(
  servers: readonly ProjectServer[],
  word: string,
  known: readonly Known[],
): Result<ServerFields> {
  const found = find(word, known);
  if (!found.ok) return found;
  if (servers.some(({ id }) => id === found.value))
    return succeed({ servers: servers.map((one) => ({ ...one, cron: one.id === found.value })) });
  const names = servers.map(({ id }) => known.find((one) => one.id === id)?.name ?? id);
  return stop("usage", `--cron-server ${word} is none of the project's servers: ${names.join(", ")}.`);
}

function find(word: string, known: readonly Known[]): Result<ServerId> {
  const id = ServerId.safeParse(word);
  if (id.success) return succeed(id.data);
  const wanted = word.normalize("NFC");
  const server = known.find(({ name }) => name.normalize("NFC") === wanted);
  if (server !== undefined) return succeed(server.id);
  const names = known.map(({ name }) => name);
  return missing(`There is no server ${word} in this account.${didYouMean(word, names)}`);
}
