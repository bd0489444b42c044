import * as z from "zod/mini";

import { listUpTo, textUpTo } from "#contract/bounds.ts";
import { CronName, MAX_CRON_JOBS } from "#contract/endpoints/cron/job-schemas.ts";
import { CronRun } from "#contract/endpoints/cron/schemas.ts";
import { MAX_ALIASES } from "#contract/endpoints/projects/settings.ts";

/** The maximum length of the last line of output, in UTF-16 code units. */
export const MAX_LAST_LINE = 300;

/** The first of the runs in a row that failed, and the last line that it printed. `message`: how it ended. */
export const FailedRun = z.strictObject({
  number: CronRun.shape.number,
  status: CronRun.shape.status,
  exit_code: CronRun.shape.exit_code,
  signal: CronRun.shape.signal,
  message: CronRun.shape.message,
  failed_at: textUpTo(40),
  last_line: z.nullable(textUpTo(MAX_LAST_LINE)),
});
export type FailedRun = z.infer<typeof FailedRun>;

/** A job of the live deployment. `failed`: null if its last run that counts succeeded, or none has ended yet. */
export const JobHealth = z.strictObject({ name: CronName, failed: z.nullable(FailedRun) });
export type JobHealth = z.infer<typeof JobHealth>;
export const JobHealths = listUpTo(JobHealth, 2 * MAX_CRON_JOBS);

/**
 * The certificate of a domain. `late`: the last sixth of its time has begun without a renewal. `missing`: no
 * certificate could be obtained. `unknown`: the agent has not checked the domain yet. `problem`: what to do about it.
 */
export const CertificateHealth = z.strictObject({
  domain: textUpTo(253),
  state: z.enum(["valid", "late", "missing", "unknown"]),
  expires_at: z.nullable(textUpTo(40)),
  problem: z.nullable(textUpTo(500)),
});
export type CertificateHealth = z.infer<typeof CertificateHealth>;
export const CertificateHealths = listUpTo(CertificateHealth, 1 + MAX_ALIASES);
