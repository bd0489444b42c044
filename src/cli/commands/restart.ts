import type { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { configDetails, startOptions } from "#cli/session/follow-options.ts";
import { done, missing, type Result } from "#cli/outcome.ts";
import { whileWaiting } from "#cli/output/while-waiting.ts";
import { emergencyField } from "#cli/session/emergency-option.ts";
import { findProject, shownName } from "#cli/session/find-named.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { type Session, withSession } from "#cli/session/session.ts";

export const restart = defineCommand({
  name: "restart",
  summary: "Replace the instances of processes with new ones",
  details: [
    "Without an argument, restarts every process that runs. The new instances of web get requests when they have passed their check, and the old ones finish theirs, so no request is lost.",
    `Each process has a deployment of its own. With --follow, each deployment begins when the deployment before it is live. ${configDetails}`,
    "Freezes and approvals do not hold a restart. It then runs what is live: settings and variables that were saved since wait for gantry apply.",
  ],
  words: { process: { isRequired: false, isList: true, help: "Process, such as web (can be repeated)" } },
  options: startOptions,
  examples: ["restart", "restart worker --follow"],
  run: withSession(async (session, { words, options }) => {
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id } = project.value;
    const given = [...new Set(words.process)];
    const processes = given.length > 0 ? succeed(given) : await runningProcesses(session, id);
    if (!processes.ok) return processes;
    for (const process of processes.value) {
      const started = await session.client.restartProcess({
        params: { project_id: id, process },
        body: emergencyField(options),
      });
      const what = `Restart of ${process} in ${shownName(session, project.value)}`;
      const outcome = await printStarted(session, started, { what, ...options });
      if (!outcome.ok || outcome.exit !== "done") return outcome;
    }
    return done;
  }),
});

async function runningProcesses({ client, output }: Session, id: ProjectId): Promise<Result<string[]>> {
  const reading = client.getProcesses({ params: { project_id: id } });
  const read = await whileWaiting(output, "Reading the processes", reading);
  if (!read.ok) return read;
  const running = read.value.processes.filter(({ stopped, wanted }) => !stopped && wanted > 0);
  return running.length === 0
    ? missing("No process of this project runs. See gantry ps.")
    : succeed(running.map(({ name }) => name));
}
