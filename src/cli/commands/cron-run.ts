import { defineCommand } from "#cli/arguments/command.ts";
import type { Outcome } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { followRun, patientSession, withRunExit } from "#cli/session/follow-run.ts";
import { type Session, withSession } from "#cli/session/session.ts";

export const cronRun = defineCommand({
  name: "cron run",
  summary: "Run a cron job now, and print its output",
  details: [
    "Runs the job in the live release, as at its time. If it runs already, it is not started again. Ctrl-C stops the run on the server. If the connection is lost, the run continues.",
    "The exit code is the job's, as with gantry run.",
  ],
  words: { job: { isRequired: true, help: "Name of the job" } },
  options: {},
  examples: ["cron run backup"],
  run: (context, given) => withRunExit(context, () => withSession(runInSession)(context, given)),
});

type Given = { readonly words: { readonly job: string } };

async function runInSession(session: Session, { words: { job } }: Given): Promise<Outcome> {
  const project = await findProject(session);
  if (!project.ok) return project;
  const { id: project_id } = project.value;
  const patient = patientSession(session);
  if (!patient.ok) return patient;
  const started = await patient.value.client.runCronJob({ params: { project_id, job }, body: {} });
  if (!started.ok) return started;
  const params = { project_id, job, run: `${started.value.number}` };
  return await followRun(session, patient.value, {
    name: "job",
    read: (client, query) => client.getCronOutput({ params, query }),
    stop: (client) => client.stopCronRun({ params, body: {} }),
    endOf: ({ run }) => run,
  });
}
