import { and, eq, isNull, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { ServerId } from "#contract/ids.ts";
import type { NotSealed, ProjectVariables } from "#domain/lane/variables.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { servers } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";
import { isMissingBox } from "#worker/db/variables/missing-box.ts";
import { withBuilder } from "#worker/db/variables/sealing-servers.ts";
import { variables } from "#worker/db/variable-tables.ts";

type WithSecrets = {
  readonly project: ProjectRecord;
  readonly variables: ProjectVariables;
  readonly members: readonly { readonly id: ServerId }[];
};

const Missing = z.array(z.tuple([z.string(), z.int()]));

/**
 * Adds to secrets that a server cannot open which servers these are. A read for each project with such secrets, and none
 * usually.
 */
export async function withServersOfSecrets<Found extends WithSecrets>(
  rows: AccountRows,
  found: readonly Found[],
  which: "current" | "all",
): Promise<Found[]> {
  return await Promise.all(found.map(async (one) => await withServers(rows, one, which)));
}

async function withServers<Found extends WithSecrets>(
  rows: AccountRows,
  found: Found,
  which: "current" | "all",
): Promise<Found> {
  const { project, variables: of, members } = found;
  if (of.notSealed.length === 0) return found;
  const own = members.length === 0 ? [project.serverId] : members.map(({ id }) => id);
  const ids = withBuilder(own, settingsOf(project).build_on);
  const needed = sql`json_object(coalesce(${servers.sealKey} ->> 'fingerprint', 'none'), 0)`;
  const isMissing = and(
    eq(variables.projectId, project.id),
    which === "current" ? isNull(variables.until) : undefined,
    sql`${variables.secret} = 1`,
    isMissingBox(needed),
  );
  const item = sql`json_array(${variables.name}, ${variables.revision})`;
  const lacking = await rows.select(
    { server: servers.name, missing: rows.listNamed(item, variables, isMissing) },
    servers,
    { where: isOneOf(servers.id, ids) },
  );
  const isOn = (missing: unknown, { name, from }: NotSealed) =>
    Missing.parse(missing).some(([secret, revision]) => secret === name && revision === from);
  const notSealed = of.notSealed.map((secret) => ({
    ...secret,
    servers: lacking.flatMap(({ server, missing }) => (isOn(missing, secret) ? [server] : [])),
  }));
  return { ...found, variables: { ...of, notSealed } };
}
