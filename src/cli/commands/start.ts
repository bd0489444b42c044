import { defineCommand } from "#cli/arguments/command.ts";
import { configDetails, startOptions } from "#cli/session/follow-options.ts";
import { emergencyField } from "#cli/session/emergency-option.ts";
import { findProject, shownName } from "#cli/session/find-named.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { withSession } from "#cli/session/session.ts";

export const start = defineCommand({
  name: "start",
  summary: "Start a process that was stopped",
  details: [`To start a deployment of new code, use gantry deploy. ${configDetails}`],
  words: { process: { isRequired: true, help: "Process, such as worker" } },
  options: startOptions,
  examples: ["start worker --follow"],
  run: withSession(async (session, { words, options }) => {
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id } = project.value;
    const { process } = words;
    const started = await session.client.startProcess({
      params: { project_id: id, process },
      body: emergencyField(options),
    });
    return printStarted(session, started, {
      what: `Start of ${process} in ${shownName(session, project.value)}`,
      ...options,
    });
  }),
});
