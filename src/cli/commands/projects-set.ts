import { isOverSsh } from "#contract/forge.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { processDetails, processOptions, readProcessOptions } from "#cli/commands/process-options.ts";
import { deployOnFields, deployOnOptions } from "#cli/commands/deploy-on-options.ts";
import { emptyCommands, limitFields, projectFields, projectOptions } from "#cli/commands/project-options.ts";
import { done, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject, findServer, serverName } from "#cli/session/find-named.ts";
import { noteMissingRepository } from "#cli/session/note-missing-repository.ts";
import { withSession } from "#cli/session/session.ts";
import { printProject, printProjectChanges } from "#cli/views/project-facts.ts";

export const projectsSet = defineCommand({
  name: "projects set",
  summary: "Change a project's settings",
  details: [
    `The next deployment uses the new settings; gantry apply starts one without a build. ${emptyCommands}`,
    `${processDetails} An empty value, as in --process worker.instances=, removes the project's own one. The given aliases replace all others, and so do the given jobs of --cron.`,
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {
    name: { kind: "text", value: "NAME", help: "New name" },
    repository: { kind: "text", short: "r", value: "URL", help: "Git repository to deploy from" },
    server: { kind: "text", value: "SERVER", help: "Server to move the project to with its next deployment" },
    ...projectOptions,
    ...processOptions,
    ...deployOnOptions,
    "no-aliases": { kind: "flag", help: "Remove all other host names" },
    "no-cron": { kind: "flag", help: "Remove all cron jobs of the settings" },
    automatic: {
      kind: "list",
      value: "SETTING",
      choices: AutomaticSetting.options,
      help: "Setting to take from the framework again",
    },
  },
  examples: [
    "projects set shop --branch next",
    "projects set --automatic build_command",
    "projects set --deploy-on-branch main --deploy-on-branch 'release/*' --deploy-on-path apps/shop",
    "projects set --alias www.shop.example.com --process worker.command='node worker.js'",
  ],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const server = options.server === null ? null : await findServer(session, options.server);
    if (server !== null && !server.ok) return server;
    const limits = limitFields(options);
    if (!limits.ok) return limits;
    const run = readProcessOptions(options);
    if (!run.ok) return run;
    const deployOn = deployOnFields(options);
    if (!deployOn.ok) return deployOn;
    if (options["no-aliases"] && run.value.aliases !== null)
      return stop("usage", "Pass either aliases or --no-aliases.");
    if (options["no-cron"] && run.value.cron !== null)
      return stop("usage", "Pass either --cron or --no-cron.");
    const { name, repository } = options;
    const automatic = AutomaticSetting.options.filter((each) => options.automatic.includes(each));
    const body = {
      ...givenFields({
        name,
        repository,
        server_id: server === null ? null : server.value.id,
        deploy_on: deployOn.value,
        automatic: automatic.length === 0 ? null : automatic,
        ...run.value,
        aliases: options["no-aliases"] ? [] : run.value.aliases,
        cron: options["no-cron"] ? [] : run.value.cron,
      }),
      ...projectFields(options, limits.value),
    };
    if (Object.keys(body).length === 0)
      return stop("usage", "Pass at least one setting. See gantry projects set --help.");
    const params = { project_id: found.value.id };
    const before = await client.getProject({ params });
    const project = await client.updateProject({ params, body });
    if (!project.ok) return project;
    const { server_id: serverId } = project.value;
    const newServer = await serverName(session, serverId);
    if (before.ok) printProjectChanges(output, before.value, project.value, newServer);
    else printProject(output, project.value, newServer);
    if (before.ok && before.value.server_id !== serverId)
      output.note(movesText(project.value, newServer ?? serverId));
    if (repository !== null) await noteMissingRepository(session, project.value);
    return done;
  }),
});

/** Each server has a deploy key of its own for a project. */
function movesText({ name, repository }: Project, server: string): string {
  const moves = `${printableName(name)} moves to ${printableName(server)} with its next deployment.`;
  return isOverSsh(repository)
    ? `${moves} That server has another deploy key: add it to the repository first. gantry projects test-repository tests it, and names the page with the key.`
    : moves;
}
