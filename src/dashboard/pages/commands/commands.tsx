import { useRef } from "preact/hooks";

import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useCronJobs } from "#dashboard/pages/commands/job-resources.ts";
import { ALL, useAllowed, useProject, useServers } from "#dashboard/data/resources.ts";
import { CommandList } from "#dashboard/pages/commands/command-list.tsx";
import { CronList } from "#dashboard/pages/commands/cron-list.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Missing, isMissing, NotAllowed } from "#dashboard/shared/unavailable.tsx";

/** The one-off commands and the cron jobs of a project. */
export function CommandsPage({ id }: { readonly id: ProjectId }) {
  const { value: project, problem } = useProject(id);
  const mayRun = useAllowed(commandEndpoints.runCommand, id);
  const { value: servers } = useServers(ALL);
  const server = servers?.servers.find((one) => one.id === project?.server_id);
  const isOffline = server?.status === "offline" || server?.status === "pending";
  const cron = useCronJobs(project === null || isOffline ? null : id);
  const isCronRead = cron.value !== null || cron.problem !== null;
  // The form stays when the server connects again and its jobs are read: someone may be typing a command.
  const wasShown = useRef(false);
  wasShown.current ||= isOffline || isCronRead || (project === null && problem !== null);
  return (
    <ProjectFrame id={id} section="commands" title="Commands">
      {isMissing(problem) ? (
        <Missing what="the project" />
      ) : (
        <>
          {isOffline ? (
            <p class="notice" role="status">
              {server.name} is not connected. Commands run only while it is: they are never queued. Cron jobs
              run without a connection. They, and how earlier commands ended, are shown when it is connected
              again.
            </p>
          ) : project === null ? null : (
            <CronList project={project} read={cron} />
          )}
          {/* Shown after the parts above it, so that the page does not move. */}
          <section hidden={!wasShown.current} aria-label="One-off commands">
            <h2>One-off commands</h2>
            {mayRun ? <CommandList id={id} project={project} /> : <NotAllowed what="one-off commands" />}
          </section>
        </>
      )}
    </ProjectFrame>
  );
}
