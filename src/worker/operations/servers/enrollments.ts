import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { installCommand } from "#contract/public-paths.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context } from "#worker/context.ts";
import { type EnrollmentRecord, setEnrollment } from "#worker/db/servers/enrollments.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { notFound, refuseEnded } from "#worker/operations/refusals.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** Creates a new enrolment token for a server. An earlier unspent one stops working. */
export async function createEnrollment(
  context: Context,
  serverId: ServerId,
): Promise<Result<Enrollment, "insufficient_scope" | "not_found">> {
  const { record, shown } = await newEnrollment(context, context.clock.now());
  const target = { type: "server", id: serverId, name: null } as const;
  const recorded = requestWrites(context, { event: null, target, projectId: null });
  const isStored = await setEnrollment(context.rows, serverId, record, context, recorded);
  return isStored ? succeed(shown) : ((await refuseEnded(context)) ?? notFound("server"));
}

/** The lifetime of an enrolment token. Short, because an operator runs the command on the server right away. */
const LIFETIME_MS = 60 * 60 * 1000;

/**
 * Creates an enrolment token: `record` is stored with the server, `shown` is returned once.
 * @param now Unix milliseconds
 * @param token its secret
 */
export async function newEnrollment(
  context: Context,
  now: number,
  token = newEnrollmentSecret(context),
): Promise<{ readonly record: EnrollmentRecord; readonly shown: Enrollment }> {
  const expiresAt = now + LIFETIME_MS;
  return {
    record: {
      enrollmentHash: await secretHash(token),
      enrollmentExpiresAt: expiresAt,
      enrollmentMadeBy: context.token.id,
    },
    shown: {
      token,
      expires_at: timestamp(expiresAt),
      // In the environment, because every user of the server can see a program's arguments.
      command: `${installCommand(context.origin)} | GANTRY_TOKEN=${token} sh`,
    },
  };
}

/** The secret of an enrolment token. */
export function newEnrollmentSecret({ randomBytes }: Pick<Context, "randomBytes">): string {
  return formToken(randomTokenCharacters(randomBytes), "enrollment");
}
