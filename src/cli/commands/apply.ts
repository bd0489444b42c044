import { defineCommand } from "#cli/arguments/command.ts";
import { configDetails, startOptions } from "#cli/session/follow-options.ts";
import { applyConfig } from "#cli/session/apply-config.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const apply = defineCommand({
  name: "apply",
  summary: "Apply the current variables and settings without a build",
  details: [
    "Processes whose variables and settings have not changed keep running. Settings of the build apply from the next gantry deploy.",
    configDetails,
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: startOptions,
  examples: ["apply --follow", "variables set LOG_LEVEL=debug --apply"],
  run: withSession(async (session, { words, options }) => {
    const project = await findProject(session, words.project);
    return project.ok ? applyConfig(session, project.value, options) : project;
  }),
});
