import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import { CronJob, CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The fields that have a word of their own: the job's name, a dot, and the field. */
const fields = ["timezone", "timeout_seconds"] as const satisfies readonly (keyof CronJob)[];

/** Reads `backup=30 2 * * * ./backup` and `backup.timezone=Europe/Berlin`. */
export function readJobs(words: readonly string[]): Result<CronJobs> {
  const jobs = new Map<string, Record<string, unknown>>();
  for (const word of words) {
    const [, name, field, text = ""] = /^([^.=\s]+)(?:\.([^=\s]+))?=(.*)$/s.exec(word) ?? [];
    if (name === undefined)
      return stop("usage", `${word} is not NAME=SCHEDULE COMMAND, such as 'backup=30 2 * * * ./backup'.`);
    if (field === undefined) {
      const [, schedule, command] = /^(@\S+|\S+(?:\s+\S+){4})\s+(.+)$/s.exec(text.trim()) ?? [];
      if (schedule === undefined)
        return stop(
          "usage",
          `--cron ${name}: a schedule has five fields or is one such as @daily, before the command.`,
        );
      jobs.set(name, { name, ...jobs.get(name), schedule, command });
    } else {
      if (!fields.some((known) => known === field))
        return stop("usage", `--cron has no field ${field}.${didYouMean(field, [...fields])}`);
      const value = field === "timeout_seconds" && /^\d+$/.test(text) ? Number(text) : text;
      jobs.set(name, { name, ...jobs.get(name), [field]: value });
    }
  }
  const parsed = CronJobs.safeParse([...jobs.values()]);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const [at, field] = issue?.path ?? [];
    const name = [...jobs.keys()][Number(at)] ?? "";
    if (field === "schedule" || field === "command")
      return stop(
        "usage",
        `--cron ${name}: pass its schedule and command too, as ${name}='30 2 * * * COMMAND'.`,
      );
    return stop("usage", `--cron ${name}: ${String(field ?? "")} ${issue?.message ?? "is not valid"}.`);
  }
  const problem = findCronProblem(parsed.data);
  if (problem === null) return succeed(parsed.data);
  const [at, field] = problem.path;
  return stop("usage", `--cron ${parsed.data[at]?.name}: the ${field} ${problem.message}.`);
}
