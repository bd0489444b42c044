import { isOverSsh } from "#contract/forge.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { projectServers } from "#contract/endpoints/projects/servers.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import type { ServerId } from "#contract/ids.ts";
import { shellWord } from "#node/shell-quote.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { buildOnFields, buildOnOptions } from "#cli/commands/build-on-options.ts";
import { processDetails, processOptions, readProcessOptions } from "#cli/commands/process-options.ts";
import { deployOnFields, deployOnOptions } from "#cli/commands/deploy-on-options.ts";
import { entryDetails, entryOptions, readEntry } from "#cli/commands/entry-options.ts";
import { dockerfileField, dockerfileOptions } from "#cli/commands/dockerfile-options.ts";
import { emptyCommands, limitFields, projectFields, projectOptions } from "#cli/commands/project-options.ts";
import { readRollout, serverDetails, serverOptions } from "#cli/commands/server-options.ts";
import { done, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { findServers } from "#cli/session/find-servers.ts";
import { noteMissingRepository } from "#cli/session/note-missing-repository.ts";
import { shownServers } from "#cli/session/print-with-key.ts";
import { commandLine, type Session, withSession } from "#cli/session/session.ts";
import { namesFrom } from "#cli/session/server-names.ts";
import { balanceNotes } from "#cli/views/project-entry.ts";
import { placeNotes } from "#cli/views/project-servers.ts";
import { printProject, printProjectChanges } from "#cli/views/project-facts.ts";
import { noteNotSealed } from "#cli/views/variable-text.ts";

export const projectsSet = defineCommand({
  name: "projects set",
  summary: "Change a project's settings",
  details: [
    `The next deployment uses the new settings; gantry apply starts one without a build. ${emptyCommands}`,
    `${processDetails} An empty value, as in --process worker.instances=, removes the project's own one. The given aliases replace all others, and so do the given jobs of --cron.`,
    `--server moves the project with its next deployment. The given servers replace all others, with what runs on them. ${serverDetails}`,
    entryDetails,
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {
    name: { kind: "text", value: "NAME", help: "New name" },
    repository: {
      kind: "text",
      short: "r",
      value: "URL",
      help: "Git repository to deploy from, or docker://HOST/NAME for its images",
    },
    ...serverOptions,
    ...entryOptions,
    ...buildOnOptions,
    ...projectOptions,
    ...dockerfileOptions,
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
    "projects set --server web-1 --server web-2 --server jobs-1=worker --cron-server jobs-1",
    "projects set --build-on builder-1",
    "projects set --framework dockerfile --build-target web --process web.container_port=3000",
    "projects set --rollout batch=2 --rollout pause_seconds=30 --rollout canary=1",
    "projects set --entry balancer --balancer lb-1 --sticky",
  ],
  run: withSession(async (session, { words, options }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const rollout = readRollout(options);
    if (!rollout.ok) return rollout;
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
    const built = await buildOnFields(session, options);
    if (!built.ok) return built;
    const { name, repository } = options;
    const automatic = AutomaticSetting.options.filter((each) => options.automatic.includes(each));
    const settings = {
      ...givenFields({
        name,
        repository,
        rollout: rollout.value,
        deploy_on: deployOn.value,
        automatic: automatic.length === 0 ? null : automatic,
        ...run.value,
        aliases: options["no-aliases"] ? [] : run.value.aliases,
        cron: options["no-cron"] ? [] : run.value.cron,
      }),
      ...projectFields(options, limits.value),
      ...built.value,
    };
    const isMove = options.server.length > 0 || options["cron-server"] !== null;
    const isEntry = options.entry !== null || options.balancer.length > 0 || options.sticky;
    const isImage = Object.keys(dockerfileField(options, null)).length > 0;
    if (Object.keys(settings).length === 0 && !isMove && !isEntry && !isImage)
      return stop("usage", "Pass at least one setting. See gantry projects set --help.");
    const params = { project_id: found.value.id };
    const before = await client.getProject({ params });
    const servers = await findServers(session, options, before.ok ? before.value : null);
    if (!servers.ok) return servers;
    const entry = await readEntry(session, options, before.ok ? before.value.entry : null);
    if (!entry.ok) return entry;
    const image = dockerfileField(options, before.ok ? before.value.dockerfile : null);
    const body = { ...settings, ...image, ...servers.value, ...givenFields({ entry: entry.value }) };
    const project = await client.updateProject({ params, body });
    if (!project.ok) return project;
    const { server_id: serverId } = project.value;
    const names = await shownServers(session, project.value);
    if (before.ok) printProjectChanges(output, before.value, project.value, names);
    else printProject(output, project.value, names);
    if (before.ok && servers.value.servers !== undefined)
      for (const note of serverChangeNotes(session, before.value, project.value)) output.note(note);
    else if (before.ok && before.value.server_id !== serverId)
      output.note(movesText(project.value, names.first ?? serverId));
    if (isMove && (await mayCall(session, "getVariables"))) {
      const variables = await client.getVariables({ params });
      if (variables.ok) noteNotSealed(session, variables.value);
    }
    if (isEntry || isMove) for (const note of balanceNotes(project.value)) output.note(note);
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

/** What a change of the list of servers means for the next deployment. */
function serverChangeNotes(session: Session, before: Project, after: Project): string[] {
  const known = projectServers(before.server_id, before.servers);
  const added = after.servers.filter(({ id }) => !known.some((one) => one.id === id));
  const removed = known.filter(({ id }) => !after.servers.some((one) => one.id === id));
  const nameOf = namesFrom([...before.servers_state, ...after.servers_state]);
  const namesOf = (servers: readonly { readonly id: ServerId }[]) =>
    servers.map(({ id }) => nameOf(id)).join(", ");
  const apply = commandLine(session, `apply ${shellWord(after.name)}`);
  return [
    added.length === 0
      ? `The change counts from the next deployment. ${apply} starts one without a build.`
      : `The change counts from the next deployment. ${apply} brings the live code to ${namesOf(added)}.`,
    ...(removed.length === 0
      ? []
      : [`${namesOf(removed)} ${removed.length === 1 ? "keeps" : "keep"} what runs there until then.`]),
    ...(added.length > 0 && isOverSsh(after.repository)
      ? [
          `Each server has a deploy key of its own: add the keys of ${namesOf(added)} to the repository first. gantry projects show prints them.`,
        ]
      : []),
    ...placeNotes(after),
  ];
}
