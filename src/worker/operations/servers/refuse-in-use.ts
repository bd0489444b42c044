import { reachOf } from "#contract/permissions.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import type { ServerReading } from "#worker/db/servers/server-records.ts";
import { findServerUses, type UsingProject } from "#worker/db/servers/server-uses.ts";

/** The most projects that a sentence names for each use of the server. */
const MAX_NAMED = 10;

/** What the server does for projects, as the end of a sentence. */
const uses = {
  runs: (names: string) => `is a server of ${names}`,
  builds: (names: string) => `builds for ${names}`,
  balances: (names: string) => `is a balancer of ${names}`,
  serves: (names: string) => `still serves ${names} until the next deployment`,
} as const satisfies Record<UsingProject["use"], (names: string) => string>;

/** Refuses to delete a server that projects use. Names the projects that the token may read. */
export async function refuseInUse(
  { session, account, permissions }: Pick<Context, "session" | "account" | "permissions">,
  { id, name }: Pick<ServerReading, "id" | "name">,
): Promise<Result<never, "server_in_use">> {
  const rows = new AccountRows(session.database, account.id, reachOf(permissions, "projects:read"));
  const using = await findServerUses(rows, id);
  const texts = Object.entries(uses).flatMap(([use, text]) => {
    const names = using.filter((one) => one.use === use).map((project) => project.name);
    return names.length === 0 ? [] : text(listed(names));
  });
  const what = texts.length === 0 ? "is used by projects that the token may not read" : texts.join(", and ");
  const isLeaving = texts.length > 0 && using.every(({ use }) => use === "serves");
  const remedy = isLeaving
    ? "Deploy them, such as with `gantry apply`"
    : "Choose other servers for them with `gantry projects set`, deploy them";
  return refuse("server_in_use", `${name} ${what}. ${remedy}, and delete ${name} then.`);
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more` : names.join(", ");
}
