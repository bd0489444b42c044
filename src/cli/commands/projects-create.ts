import type { ProjectServer } from "#contract/endpoints/projects/servers.ts";
import type { ServerId } from "#contract/ids.ts";
import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import type { Options } from "#cli/arguments/command-spec.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import {
  processDetails,
  readProcessOptions,
  processOptions,
  withoutRemovals,
} from "#cli/commands/process-options.ts";
import { buildOnFields, buildOnOptions } from "#cli/commands/build-on-options.ts";
import { dockerfileField, dockerfileOptions } from "#cli/commands/dockerfile-options.ts";
import { entryDetails, entryOptions, readEntry } from "#cli/commands/entry-options.ts";
import { emptyCommands, limitFields, projectFields, projectOptions } from "#cli/commands/project-options.ts";
import { readRollout, serverDetails, serverOptions } from "#cli/commands/server-options.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import type { NamedId } from "#cli/session/find-named.ts";
import { findServers } from "#cli/session/find-servers.ts";
import { noteMissingRepository } from "#cli/session/note-missing-repository.ts";
import { printWithKey } from "#cli/session/print-with-key.ts";
import { type Session, withSession } from "#cli/session/session.ts";
import { balanceNotes } from "#cli/views/project-entry.ts";
import { placeNotes } from "#cli/views/project-servers.ts";
import { writeLink } from "#cli/settings/link-file.ts";
import { succeed } from "#contract/lib/result.ts";

export const projectsCreate = defineCommand({
  name: "projects create",
  summary: "Create a project",
  details: [
    "--branch defaults to main, --commits to reachable. The framework is detected from the repository's files, and the commands and the output directory follow from it.",
    "For a repository with an ssh address, also prints the deploy key and where to add it.",
    emptyCommands,
    processDetails,
    `Without --server, the project is on the account's only server. ${serverDetails}`,
    entryDetails,
  ],
  words: { name: { isRequired: true, help: "Project name" } },
  options: {
    repository: {
      kind: "text",
      short: "r",
      value: "URL",
      help: "Git repository to deploy from, or docker://HOST/NAME for its images (required)",
    },
    ...serverOptions,
    ...entryOptions,
    ...buildOnOptions,
    ...projectOptions,
    ...dockerfileOptions,
    ...processOptions,
    link: { kind: "flag", help: "Also run gantry projects link for the new project" },
  },
  examples: [
    "projects create shop --repository git@github.com:you/shop.git --server web-1 --link",
    "projects create shop --repository git@github.com:you/shop.git --server web-1 --server web-2 --rollout batch=2",
  ],
  run: withSession(async (session, { words, options }) => {
    const { client, output, folder, url } = session;
    const { repository } = options;
    if (repository === null)
      return stop(
        "usage",
        "gantry projects create needs --repository URL. See gantry projects create --help.",
      );
    const rollout = readRollout(options);
    if (!rollout.ok) return rollout;
    const place = await findPlace(session, options);
    if (!place.ok) return place;
    const entry = await readEntry(session, options, null);
    if (!entry.ok) return entry;
    const limits = limitFields(options);
    if (!limits.ok) return limits;
    const run = readProcessOptions(options);
    if (!run.ok) return run;
    const processes = withoutRemovals(run.value.processes);
    if (!processes.ok) return processes;
    const built = await buildOnFields(session, options);
    if (!built.ok) return built;
    const project = await client.createProject({
      body: {
        name: words.name,
        repository,
        ...place.value,
        ...built.value,
        ...projectFields(options, limits.value),
        ...dockerfileField(options, null),
        ...givenFields({
          ...run.value,
          processes: processes.value,
          rollout: rollout.value,
          entry: entry.value,
        }),
      },
    });
    if (!project.ok) return project;
    await printWithKey(session, project.value);
    for (const note of [...placeNotes(project.value), ...balanceNotes(project.value)]) output.note(note);
    await noteMissingRepository(session, project.value);
    if (!options.link) return done;
    const { id, name } = project.value;
    const path = await writeLink(folder, { url, project: id, name });
    if (!path.ok) return path;
    output.note(`Linked to ${printableName(name)} in ${path.value}.`);
    return done;
  }),
});

type Place = { readonly server_id: ServerId; readonly servers?: ProjectServer[] };

/** The project's server or servers: as --server names them, or the only server of the account. */
async function findPlace(
  session: Session,
  options: Pick<Options<typeof serverOptions>, "server" | "cron-server">,
): Promise<Result<Place>> {
  if (options.server.length === 0) {
    if (options["cron-server"] !== null)
      return stop("usage", "--cron-server is for a project on several servers: pass them with --server.");
    const only = await findOnlyServer(session);
    return only.ok ? succeed({ server_id: only.value.id }) : only;
  }
  const found = await findServers(session, options, null);
  if (!found.ok) return found;
  const { server_id: alone, servers } = found.value;
  const serverId = alone ?? servers?.[0]?.id;
  return serverId === undefined
    ? stop("usage", "Pass a server with --server.")
    : succeed({ ...(servers === undefined ? {} : { servers }), server_id: serverId });
}

async function findOnlyServer(session: Session): Promise<Result<NamedId<ServerId>>> {
  const servers = await readAll(session.client.listServers, (page) => page.servers);
  if (!servers.ok) return servers;
  const [only, another] = servers.value;
  if (only === undefined)
    return stop("usage", "There are no servers yet. Add one with gantry servers add NAME IP.");
  if (another === undefined) return succeed(only);
  return stop("usage", `Pass a server with --server: ${servers.value.map(({ name }) => name).join(", ")}.`);
}
