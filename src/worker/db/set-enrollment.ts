import { and, eq, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects, servers } from "#worker/db/schema.ts";

/** What is kept of an enrolment token. `enrollmentExpiresAt` is in Unix milliseconds. */
export type EnrollmentRecord = { readonly enrollmentHash: string; readonly enrollmentExpiresAt: number };

/** `out_of_sight`: projects are on the server, or live there, that `rows` does not show. */
export type EnrollmentSetting = "set" | "no_such_server" | "out_of_sight";

/** Gives a server an enrolment token in place of any that is still unspent, if all that is on it is in sight. */
export async function setEnrollment(
  rows: AccountRows,
  id: ServerId,
  enrollment: EnrollmentRecord,
): Promise<EnrollmentSetting> {
  const onServer = eq(projects.serverId, id);
  // The states stand in the text, not in parameters, because only so does SQLite use the partial index on them.
  const isHeld = and(eq(deployments.serverId, id), sql`${deployments.status} in ('live', 'building')`);
  const isAllInSight = sql`${rows.countAll(projects, onServer)} = ${rows.count(projects, onServer)} and ${rows.countAll(deployments, isHeld)} = ${rows.count(deployments, isHeld)}`;
  const write = rows.update(servers, enrollment, sql`${eq(servers.id, id)} and ${isAllInSight}`);
  if ((await rows.run(write)) === 1) return "set";
  const [server] = await rows.select({ id: servers.id }, servers, { where: eq(servers.id, id) });
  return server === undefined ? "no_such_server" : "out_of_sight";
}
