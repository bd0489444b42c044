import * as z from "zod/mini";

import { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { sentence } from "#contract/lib/sentence.ts";

const texts = {
  name: z.string(),
  schedule: z.string(),
  command: z.string(),
  timezone: z.string(),
  timeout_seconds: z.string(),
};
export type CronField = keyof typeof texts;

/** The jobs of the form. Each field is a text; an empty time zone or time limit is the default. */
export const CronDraft = z.array(z.object(texts));
export type CronDraft = z.infer<typeof CronDraft>;

export const newJob: CronDraft[number] = mapValues(texts, () => "");

export function cronDraft(jobs: Project["cron"]): CronDraft {
  return jobs.map((job) => mapValues(texts, (_, field) => String(job[field] ?? "")));
}

/** The jobs as `cron` of a PATCH, not validated yet. */
function jobsOf(draft: CronDraft): Record<string, unknown>[] {
  return draft.map(({ name, schedule, command, timezone, timeout_seconds: seconds }) => ({
    ...{ name: name.trim(), schedule: schedule.trim(), command: command.trim() },
    ...(timezone.trim() === "" ? {} : { timezone: timezone.trim() }),
    ...(seconds.trim() === "" ? {} : { timeout_seconds: Number(seconds) }),
  }));
}

/** All jobs if one of them has changed: the API replaces them as a whole. */
export function cronChange(draft: CronDraft, saved: Project["cron"]): Record<string, unknown>[] | null {
  const jobs = jobsOf(draft);
  return JSON.stringify(jobs) === JSON.stringify(jobsOf(cronDraft(saved))) ? null : jobs;
}

/** What the schema of jobs does not check, by the path of the field. */
export function cronErrors(draft: CronDraft): Readonly<Record<string, string>> {
  const jobs = z.array(CronJob).safeParse(jobsOf(draft));
  const problem = jobs.success ? findCronProblem(jobs.data) : null;
  return {
    ...(problem === null ? {} : { [`cron.${problem.path.join(".")}`]: sentence(problem.message) }),
    ...Object.fromEntries(
      draft.flatMap(({ schedule }, at) =>
        schedule.trim() === "" ? [[`cron.${at}.schedule`, "Enter a schedule."]] : [],
      ),
    ),
  };
}
