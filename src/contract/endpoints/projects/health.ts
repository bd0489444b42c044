import * as z from "zod/mini";

import { wholeFrom } from "#contract/bounds.ts";
import { growing } from "#contract/growing.ts";

/**
 * Why a project is degraded. `name`: of the process, the job or the certificate's domain; null for the ingress.
 * `summary`: a few words, such as `worker 0 of 1`. `detail`: a sentence, or the end of one. `running`, `desired`: the
 * instances of a process. `run`: of a job, the run that failed first.
 */
export const HealthReason = z.strictObject({
  type: growing(z.enum(["process", "cron", "certificate", "ingress"])),
  name: z.nullable(z.string()),
  summary: z.string(),
  detail: z.nullable(z.string()),
  running: z.nullable(wholeFrom(0)),
  desired: z.nullable(wholeFrom(0)),
  run: z.nullable(wholeFrom(1)),
});
export type HealthReason = z.infer<typeof HealthReason>;
export const HealthReasons = z.array(HealthReason);

/** Whether all of a project works. `unknown`: its server has not reported it, or is not connected. */
export const ProjectHealth = z.strictObject({
  state: growing(z.enum(["ok", "degraded", "unknown"])),
  reasons: HealthReasons,
});
export type ProjectHealth = z.infer<typeof ProjectHealth>;

/** Of a project whose control plane does not tell. */
export const UNKNOWN_HEALTH: ProjectHealth = { state: "unknown", reasons: [] };
