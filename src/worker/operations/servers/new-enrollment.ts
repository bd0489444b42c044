import { installCommand } from "#contract/agent-files.ts";
import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context } from "#worker/context.ts";
import type { EnrollmentRecord } from "#worker/db/servers/set-enrollment.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** For how long an enrolment token can be spent: somebody is at the server to paste it. */
const LIFETIME_MS = 60 * 60 * 1000;

/** A new enrolment token: what its server keeps of it, and what its owner is shown, this once. @param now Unix milliseconds */
export async function newEnrollment(
  context: Context,
  now: number,
): Promise<{ readonly record: EnrollmentRecord; readonly shown: Enrollment }> {
  const token = formToken(randomTokenCharacters(context.randomBytes), "enrollment");
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
      // In the environment, because everybody on the server can see the arguments of a program.
      command: `${installCommand(context.origin)} | GANTRY_TOKEN=${token} sh`,
    },
  };
}
