import { useEffect, useState } from "preact/hooks";

import type { VariableRevision } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useVariableRevisions, variableApi } from "#dashboard/data/variable-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly id: ProjectId;
  /** The current revision: the history is read again when it changes. */
  readonly revision: number;
};

/** The pages after the first one, which were read on demand. */
type Older = { readonly revisions: readonly VariableRevision[]; readonly cursor: string | null };

/** The revisions of a project's variables, newest first. */
export function History({ id, revision }: Props) {
  const revisions = useVariableRevisions(id);
  const [older, setOlder] = useState<Older | null>(null);
  const reading = useAction((cursor: string) =>
    variableApi.listVariableRevisions({ params: { project_id: id }, query: { cursor } }),
  );
  const newest = revisions.value?.revisions[0]?.revision ?? 0;
  useEffect(() => {
    // The first page has moved, so the others no longer begin where it ends.
    setOlder(null);
    if (revisions.value !== null && newest !== revision) void revisions.reload();
  }, [revision]);
  const readOlder = async (cursor: string) => {
    const page = await reading.run(cursor);
    if (page === null) return;
    const { revisions: rows, next_cursor: next } = page.value;
    setOlder((now) => ({ revisions: [...(now?.revisions ?? []), ...rows], cursor: next }));
  };
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      <Show of={revisions} what="the history">
        {({ revisions: first, next_cursor: next }) => {
          const cursor = older === null ? next : older.cursor;
          return (
            <>
              {first.length === 0 ? <p class="quiet">No changes yet.</p> : null}
              <ol>
                {[...first, ...(older?.revisions ?? [])].map((one) => (
                  <li key={one.revision}>
                    <RevisionText revision={one} />
                  </li>
                ))}
              </ol>
              <ProblemBox problem={reading.problem} doing="Loading the history" />
              {cursor === null ? null : (
                <Button onClick={() => readOlder(cursor)} isBusy={reading.isRunning}>
                  Show older changes
                </Button>
              )}
            </>
          );
        }}
      </Show>
    </section>
  );
}

/** Who changed which variables when. */
export function RevisionText({ revision: one }: { readonly revision: VariableRevision }) {
  const { revision, changed_at: changedAt, changed_by: changedBy, set, removed } = one;
  return (
    <>
      <strong>Revision {revision}</strong>{" "}
      <span class="quiet">
        <Ago time={changedAt} /> by {changedBy.name}
      </span>{" "}
      <Names verb="set" names={set} /> <Names verb="removed" names={removed} />
    </>
  );
}

function Names({ verb, names }: { readonly verb: string; readonly names: readonly string[] }) {
  return names.length === 0 ? null : (
    <>
      {verb} <code>{names.toSorted().join(", ")}</code>
    </>
  );
}
