import type { ProjectId } from "#contract/ids.ts";
import { ALL, useProject, useServers } from "#dashboard/data/resources.ts";
import { CronList } from "#dashboard/pages/commands/cron-list.tsx";
import { CommandList } from "#dashboard/pages/commands/command-list.tsx";
import { Missing, isMissing } from "#dashboard/shared/unavailable.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** The one-off commands and the cron jobs of a project. */
export function CommandsPage({ id }: { readonly id: ProjectId }) {
  const { value: project, problem } = useProject(id);
  const name = project?.name ?? "project";
  return (
    <Page
      title={`${name} commands`}
      heading={
        <>
          <a href={pathTo({ page: "project", id })}>{name}</a> Commands
        </>
      }
    >
      {isMissing(problem) ? (
        <Missing what="the project" />
      ) : (
        <>
          <Offline serverId={project?.server_id ?? null} />
          {project === null ? null : <CronList project={project} />}
          <h2>One-off commands</h2>
          <CommandList id={id} />
        </>
      )}
    </Page>
  );
}

/** Says that the server is not connected. */
function Offline({ serverId }: { readonly serverId: string | null }) {
  const { value } = useServers(ALL);
  const server = value?.servers.find(({ id }) => id === serverId);
  if (server?.status !== "offline" && server?.status !== "pending") return null;
  return (
    <p class="notice" role="status">
      {server.name} is not connected. Commands run only while it is: they are never queued. How earlier ones
      ended is shown when it is connected again.
    </p>
  );
}
