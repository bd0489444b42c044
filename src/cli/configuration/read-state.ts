import { type Item, type KindName, kindNames, type State } from "#cli/configuration/item.ts";
import { kinds } from "#cli/configuration/kinds.ts";
import { Names } from "#cli/configuration/names.ts";
import type { Result } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { readAll } from "#client/read-all.ts";
import { succeed } from "#contract/lib/result.ts";

/** Reads the names of the servers and projects of an installation. */
export async function readNames({ client }: Session): Promise<Result<Names>> {
  const [servers, projects] = await Promise.all([
    readAll(client.listServers, (page) => page.servers),
    readAll(client.listProjects, (page) => page.projects),
  ]);
  if (!servers.ok) return servers;
  if (!projects.ok) return projects;
  const byName = (rows: readonly { readonly id: string; readonly name: string }[]) =>
    new Map(rows.map(({ id, name }) => [name, id]));
  return succeed(new Names({ server: byName(servers.value), project: byName(projects.value) }));
}

/** What to read of an installation. */
type Wanted = {
  readonly kind: (kind: KindName) => boolean;
  readonly variablesOf: (project: string) => boolean;
};

/** The projects whose variables a file has a table for. The others are left alone. */
export function variablesIn(file: State): ReadonlySet<string> {
  return new Set((file.get("variables") ?? []).map(({ key }) => key));
}

/** Reads what an installation has of some kinds. */
export async function readState(
  session: Session,
  names: Names,
  { kind: isWanted, variablesOf }: Wanted,
): Promise<Result<State>> {
  const state = new Map<KindName, readonly Item[]>();
  for (const kind of kindNames.filter(isWanted)) {
    const known = kind === "variables" ? names.withProjects(variablesOf) : names;
    const items = await kinds[kind].read(session, known);
    if (!items.ok) return items;
    state.set(kind, items.value);
  }
  return succeed(state);
}
