import type { ServerId } from "#contract/ids.ts";
import { readAll } from "#client/read-all.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import {
  processDetails,
  readProcessOptions,
  processOptions,
  withoutRemovals,
} from "#cli/commands/process-options.ts";
import { emptyCommands, limitFields, projectFields, projectOptions } from "#cli/commands/project-options.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { printableName } from "#cli/output/printable.ts";
import { findServer, type NamedId } from "#cli/session/find-named.ts";
import { noteMissingRepository } from "#cli/session/note-missing-repository.ts";
import { printWithKey } from "#cli/session/print-with-key.ts";
import { type Session, withSession } from "#cli/session/session.ts";
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
  ],
  words: { name: { isRequired: true, help: "Project name" } },
  options: {
    repository: { kind: "text", short: "r", value: "URL", help: "Git repository to deploy from (required)" },
    server: {
      kind: "text",
      value: "SERVER",
      help: "Server name or ID (default: the only server)",
    },
    ...projectOptions,
    ...processOptions,
    link: { kind: "flag", help: "Also run gantry projects link for the new project" },
  },
  examples: ["projects create shop --repository git@github.com:you/shop.git --server web-1 --link"],
  run: withSession(async (session, { words, options }) => {
    const { client, output, folder, url } = session;
    const { repository } = options;
    if (repository === null)
      return stop(
        "usage",
        "gantry projects create needs --repository URL. See gantry projects create --help.",
      );
    const server = await (options.server === null
      ? findOnlyServer(session)
      : findServer(session, options.server));
    if (!server.ok) return server;
    const limits = limitFields(options);
    if (!limits.ok) return limits;
    const run = readProcessOptions(options);
    if (!run.ok) return run;
    const processes = withoutRemovals(run.value.processes);
    if (!processes.ok) return processes;
    const project = await client.createProject({
      body: {
        name: words.name,
        repository,
        server_id: server.value.id,
        ...projectFields(options, limits.value),
        ...givenFields({ ...run.value, processes: processes.value }),
      },
    });
    if (!project.ok) return project;
    await printWithKey(session, project.value);
    await noteMissingRepository(session, project.value);
    if (!options.link) return done;
    const { id, name } = project.value;
    const path = await writeLink(folder, { url, project: id, name });
    if (!path.ok) return path;
    output.note(`Linked to ${printableName(name)} in ${path.value}.`);
    return done;
  }),
});

async function findOnlyServer(session: Session): Promise<Result<NamedId<ServerId>>> {
  const servers = await readAll(session.client.listServers, (page) => page.servers);
  if (!servers.ok) return servers;
  const [only, another] = servers.value;
  if (only === undefined)
    return stop("usage", "There are no servers yet. Add one with gantry servers add NAME IP.");
  if (another === undefined) return succeed(only);
  return stop("usage", `Pass a server with --server: ${servers.value.map(({ name }) => name).join(", ")}.`);
}
