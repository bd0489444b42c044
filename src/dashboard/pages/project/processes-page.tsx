import { resolveProcesses } from "#contract/processes/resolve-processes.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { ProcessesSection } from "#dashboard/pages/project/processes.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** The processes of a project, their instances and their output. */
export function ProcessesPage({ id }: { readonly id: ProjectId }) {
  const project = useProject(id);
  return (
    <ProjectFrame id={id} section="processes" title="Processes">
      <Show of={project} what="the project">
        {(value) =>
          value.processes_state === null &&
          resolveProcesses(value.detected_processes, value.processes).length === 0 ? (
            <EmptyState
              title="No processes"
              actions={
                <a class="button" href={pathTo({ page: "settings_processes", id })}>
                  Settings
                </a>
              }
            >
              This project is served as files. A project with a process runs a program, such as a server or a
              worker.
            </EmptyState>
          ) : (
            <ProcessesSection project={value} />
          )
        }
      </Show>
    </ProjectFrame>
  );
}
