import { followParts } from "#client/follow-parts.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { printLines } from "#cli/session/follow-run.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { runColumns, runRows } from "#cli/views/cron-text.ts";
import type { ProjectId } from "#contract/ids.ts";

export const cronLogs = defineCommand({
  name: "cron logs",
  summary: "Print the output of a run of a cron job",
  details: [
    "Prints the output of the last run, or of another with --run, and follows a run that has not ended until Ctrl-C. With --list, lists the runs that the server keeps.",
  ],
  words: { job: { isRequired: true, help: "Name of the job" } },
  options: {
    run: { kind: "text", value: "NUMBER", help: "Number of the run (default: the last one)" },
    list: { kind: "flag", short: "l", help: "List the runs instead" },
  },
  examples: ["cron logs backup", "cron logs backup --list", "cron logs backup --run 17"],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    if (options.run !== null && !/^[1-9]\d{0,8}$/.test(options.run))
      return stop("usage", "--run must be the number of a run.");
    if (options.run !== null && options.list) return stop("usage", "Pass either --run or --list.");
    const project = await findProject(session);
    if (!project.ok) return project;
    const params = { project_id: project.value.id, job: words.job };
    if (options.run !== null) return print(session, { ...params, run: options.run });
    const found = await client.getCronJob({ params });
    if (!found.ok) return found;
    const { name, runs } = found.value;
    if (options.list) {
      output.json({ runs });
      if (runs.length === 0) output.note(`${name} has not run yet.`);
      else output.table(runColumns, runRows(runs, output));
      return done;
    }
    const last = runs.find(({ status }) => status !== "skipped");
    if (last === undefined) {
      output.note(`${name} has not run yet.`);
      return done;
    }
    return print(session, { ...params, run: `${last.number}` });
  }),
});

type Params = { readonly project_id: ProjectId; readonly job: string; readonly run: string };

/** Prints the output of a run to its end. Ctrl-C ends only the printing. */
async function print(session: Session, params: Params): Promise<Outcome> {
  const { client, output, signal } = session;
  const parts = followParts((query) => client.getCronOutput({ params, query }), { waitSeconds: 20, signal });
  for await (const event of parts) {
    if (event.type !== "part") return { ok: false, problem: event.problem };
    printLines(session, event.part.lines);
    if (!event.part.complete) continue;
    const { run } = event.part;
    output.json({ type: "end", run });
    output.note(`Run ${run.number} ${run.message ?? "has ended"}.`);
    return done;
  }
  return { ok: true, exit: "interrupted" };
}
