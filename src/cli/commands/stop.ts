import { defineCommand } from "#cli/arguments/command.ts";
import { configDetails, startOptions } from "#cli/session/follow-options.ts";
import { emergencyField } from "#cli/session/emergency-option.ts";
import { findProject, shownName } from "#cli/session/find-named.ts";
import { printStarted } from "#cli/session/print-started.ts";
import { withSession } from "#cli/session/session.ts";

export const stopCommand = defineCommand({
  name: "stop",
  summary: "Stop a process until it is started again",
  details: [
    "Its instances finish their requests and end. Later deployments and a restart of the server do not start it. While web is stopped, visitors get a page with the status 503.",
    configDetails,
  ],
  words: { process: { isRequired: true, help: "Process, such as worker" } },
  options: startOptions,
  examples: ["stop worker"],
  run: withSession(async (session, { words, options }) => {
    const project = await findProject(session);
    if (!project.ok) return project;
    const { id } = project.value;
    const { process } = words;
    const started = await session.client.stopProcess({
      params: { project_id: id, process },
      body: emergencyField(options),
    });
    return printStarted(session, started, {
      what: `Stop of ${process} in ${shownName(session, project.value)}`,
      ...options,
    });
  }),
});
