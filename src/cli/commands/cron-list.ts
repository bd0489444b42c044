import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { cronColumns, cronNotes, cronRows } from "#cli/views/cron-text.ts";

const NONE =
  "The live deployment has no cron jobs. gantry.json in the repository, or gantry projects set --cron, defines them.";

export const cronList = defineCommand({
  name: "cron list",
  isGroupDefault: true,
  summary: "List the cron jobs of a project, with their next and last run",
  details: [
    "A cron job runs at the times of its schedule, in the live release. The server's policy must allow it. A change takes effect with the next deployment, or with gantry apply.",
  ],
  words: {},
  options: {},
  examples: ["cron", "cron list --project shop --json"],
  run: withSession(async (session) => {
    const { client, output } = session;
    const project = await findProject(session);
    if (!project.ok) return project;
    const list = await client.listCronJobs({ params: { project_id: project.value.id } });
    if (!list.ok) return list;
    const { jobs } = list.value;
    output.json(list.value);
    if (jobs.length === 0) output.note(NONE);
    else output.table(cronColumns, cronRows(jobs, output));
    for (const line of cronNotes(jobs)) output.note(line);
    return done;
  }),
});
