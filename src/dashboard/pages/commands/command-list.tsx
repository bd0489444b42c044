import { useState } from "preact/hooks";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { CommandId, ProjectId } from "#contract/ids.ts";
import { commandApi, useCommands } from "#dashboard/pages/commands/job-resources.ts";
import { CommandCard } from "#dashboard/pages/commands/command-card.tsx";
import { RunForm } from "#dashboard/pages/commands/run-form.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";

type Props = {
  readonly id: ProjectId;
  /** null: not loaded. */
  readonly project: Project | null;
};

/** The one-off commands of a project, the newest first, and a form that runs one. */
export function CommandList({ id, project }: Props) {
  const commands = useCommands(id);
  const [started, setStarted] = useState<CommandId | null>(null);
  return (
    <PagedList
      of={commands}
      what="commands"
      rowsOf={(page) => page.commands}
      keyOf={(row) => row.id}
      readOlder={(cursor) => commandApi.listCommands({ params: { project_id: id }, query: { cursor } })}
    >
      {(rows) => (
        <>
          <RunForm
            id={id}
            project={project}
            onRun={(command) => {
              setStarted(command.id);
              return commands.reload();
            }}
          />
          {rows.length === 0 ? (
            <EmptyState title="No command has been run yet">
              A command runs in the live release, with its variables. Its output is shown here.
            </EmptyState>
          ) : (
            <ul class="records" aria-label="Commands">
              {rows.map((row) => (
                <CommandCard
                  key={row.id}
                  command={row}
                  servers={project?.servers_state ?? []}
                  isNew={row.id === started}
                  reload={commands.reload}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </PagedList>
  );
}
