import type { ServerId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { setEnrollment } from "#worker/db/servers/enrollments.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { newEnrollment } from "#worker/operations/servers/new-enrollment.ts";

/** Creates a new enrolment token for a server. An earlier unspent one stops working. */
export async function createEnrollment(
  context: Context,
  serverId: ServerId,
): Promise<Result<Enrollment, "not_found">> {
  const { record, shown } = await newEnrollment(context, context.clock.now());
  const target = { type: "server", id: serverId, name: null } as const;
  const recorded = requestWrites(context, { event: null, target, projectId: null });
  const isStored = await setEnrollment(context.rows, serverId, record, recorded);
  return isStored ? succeed(shown) : notFound("server");
}
