import type { Item, KindName, State } from "#cli/configuration/item.ts";
import { mapLimited } from "#cli/configuration/map-limited.ts";
import type { Names } from "#cli/configuration/names.ts";
import { serversIn } from "#cli/configuration/plan-notices.ts";
import type { Result } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { ServerId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

/** The fingerprint of each server's key, by the name of the server; null: it has none yet. */
type Keys = ReadonlyMap<string, string | null>;

/**
 * Adds to the variables of the installation which secrets the servers of the file cannot open: the file can move a project, and
 * the installation refuses its deployments until the secrets are sent again.
 */
export async function findUnsealed(
  session: Session,
  { wanted, current, names }: { readonly wanted: State; readonly current: State; readonly names: Names },
): Promise<Result<State>> {
  const variables = current.get("variables") ?? [];
  const withSecrets = variables.filter(({ seals }) => (seals?.sealedFor.size ?? 0) > 0);
  const keys = await readKeys(session, withSecrets, names, [
    ...new Set(withSecrets.flatMap(({ key }) => serversOf(wanted, key))),
  ]);
  if (!keys.ok) return keys;
  const marked = variables.map((item) => ({
    ...item,
    unsealed: unsealedOf(item, serversOf(wanted, item.key), keys.value),
  }));
  const added: [KindName, readonly Item[]][] = current.has("variables") ? [["variables", marked]] : [];
  return succeed(new Map([...current, ...added]));
}

/** The names of the servers that the file gives a project. */
function serversOf(wanted: State, project: string): readonly string[] {
  return serversIn(wanted.get("projects")?.find(({ key }) => key === project)?.fields ?? {});
}

/** Reads the keys of the servers that are not servers of a project yet. */
async function readKeys(
  { client }: Session,
  variables: readonly Item[],
  names: Names,
  servers: readonly string[],
): Promise<Result<Keys>> {
  const known = new Map(variables.flatMap(({ seals }) => [...(seals?.keys ?? [])]));
  const ids = servers.map((name) => [name, names.idOf("server", name) ?? ""] as const);
  const unknown = ids.filter(([, id]) => !known.has(id));
  const read = await mapLimited(unknown, async ([, id]) =>
    client.getServer({ params: { server_id: ServerId.parse(id) } }),
  );
  for (const server of read) {
    if (server.ok) known.set(server.value.id, server.value.seal_key?.fingerprint ?? null);
    else if (server.problem.code !== "not_found") return server;
  }
  return succeed(new Map(ids.map(([name, id]) => [name, known.get(id) ?? null])));
}

function unsealedOf({ seals }: Item, servers: readonly string[], keys: Keys): NonNullable<Item["unsealed"]> {
  const cannotOpen = (fingerprints: readonly string[]) =>
    servers.filter((server) => !fingerprints.includes(keys.get(server) ?? ""));
  const secrets = [...(seals?.sealedFor ?? [])].map(
    ([name, fingerprints]) => [name, cannotOpen(fingerprints)] as const,
  );
  return new Map(secrets.filter(([, left]) => left.length > 0));
}
