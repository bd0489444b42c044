import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { CreateServerInput, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import type { Context } from "#worker/context.ts";
import { findServer, insertServer } from "#worker/db/servers/server-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { serverChange } from "#worker/operations/changes/targets.ts";
import { newEnrollment, newEnrollmentSecret } from "#worker/operations/servers/new-enrollment.ts";
import { refuseOutside } from "#worker/operations/servers/refuse-outside.ts";
import { tooMany } from "#worker/operations/refusals.ts";
import { serverView } from "#worker/views/server-view.ts";

/**
 * Registers a server, and creates the enrolment token for its agent. A retry of the same request returns the server that
 * the first try created.
 */
export async function createServer(
  context: Context,
  input: CreateServerInput,
): Promise<Result<ServerCreated, "invalid_request" | "name_taken" | "too_many">> {
  const outside = refuseOutside(context, input.region);
  if (outside !== null) return outside;
  const now = context.clock.now();
  const secret = newEnrollmentSecret(context);
  const enrollment = await newEnrollment(context, now, secret);
  const server = {
    id: context.ids.server(),
    name: input.name,
    ip: input.ip,
    createdAt: now,
    enrolledAt: null,
    firstConnectedAt: null,
    connectedAt: null,
    lastSeenAt: null,
    connectedMsByDay: {},
    agentVersion: null,
    agentMismatch: null,
    diskTotalBytes: null,
    diskFreeBytes: null,
    diskCacheBytes: null,
    sealKey: null,
    isolation: null,
    policy: null,
    tools: null,
    ingressProblem: null,
    region: input.region ?? null,
    detectedRegion: null,
    takenOverAt: null,
  };
  const created = { ...serverView({ ...server, apps: 0 }, now), enrollment: enrollment.shown };
  const recorded = requestWrites(context, serverChange("server.created", created));
  const insertion = await insertServer(context.rows, { ...server, ...enrollment.record }, recorded);
  if (insertion !== "inserted" && context.requestKey !== null) {
    const added = await findServer(context.rows, server.id);
    if (added !== null) {
      const { createdAt } = added;
      const { shown } = await newEnrollment(context, createdAt, secret);
      return succeed({ ...serverView({ ...server, apps: 0, createdAt }, createdAt), enrollment: shown });
    }
  }
  switch (insertion) {
    case "inserted":
      announceLater(context);
      return succeed(created);
    case "added_before":
      throw new Error("the server that an earlier try created no longer exists");
    case "name_taken":
      return refuse("name_taken", `The account already has a server named ${input.name}.`);
    case "too_many":
      return tooMany("servers");
  }
}
