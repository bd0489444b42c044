import { useState } from "preact/hooks";

import type { CommandId, ProjectId } from "#contract/ids.ts";
import type { CommandRow } from "#contract/endpoints/commands/schemas.ts";
import { commandApi, useCommands } from "#dashboard/data/job-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { CommandCard } from "#dashboard/pages/commands/command-card.tsx";
import { RunForm } from "#dashboard/pages/commands/run-form.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The one-off commands of a project, the newest first, and a form that runs one. */
export function CommandList({ id }: { readonly id: ProjectId }) {
  const commands = useCommands(id);
  const [started, setStarted] = useState<CommandId | null>(null);
  const [older, setOlder] = useState<Older | null>(null);
  const loading = useAction((cursor: string) =>
    commandApi.listCommands({ params: { project_id: id }, query: { cursor } }),
  );
  const loadOlder = async (cursor: string) => {
    const page = await loading.run(cursor);
    if (page === null) return;
    const { commands: rows, next_cursor: next } = page.value;
    setOlder((before) => ({ rows: [...(before?.rows ?? []), ...rows], next }));
  };
  return (
    <Show of={commands} what="the commands">
      {({ commands: newest, next_cursor }) => {
        const rows = withOlder(newest, older?.rows ?? []);
        const cursor = older === null ? next_cursor : older.next;
        return (
          <>
            <RunForm
              id={id}
              onRun={(command) => {
                setStarted(command.id);
                return commands.reload();
              }}
            />
            {rows.length === 0 ? (
              <p class="quiet">No command has been run yet.</p>
            ) : (
              <ul class="runs" aria-label="Commands">
                {rows.map((row) => (
                  <CommandCard
                    key={row.id}
                    command={row}
                    isNew={row.id === started}
                    reload={commands.reload}
                  />
                ))}
              </ul>
            )}
            <ProblemBox problem={loading.problem} doing="Loading older commands" />
            {cursor === null ? null : (
              <Button onClick={() => loadOlder(cursor)} isBusy={loading.isRunning}>
                Show older commands
              </Button>
            )}
          </>
        );
      }}
    </Show>
  );
}

type Older = { readonly rows: readonly CommandRow[]; readonly next: string | null };

/** New commands move older ones to the next page, so the same command can be in both. Ids rise with time. */
function withOlder(newest: readonly CommandRow[], older: readonly CommandRow[]): readonly CommandRow[] {
  const last = newest.at(-1);
  return last === undefined ? newest : [...newest, ...older.filter(({ id }) => id < last.id)];
}
