import { useEffect } from "preact/hooks";

import type { VariableRevision } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useVariableRevisions, variableApi } from "#dashboard/pages/variables/variable-resources.ts";
import { PagedList } from "#dashboard/shared/paged-list.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly id: ProjectId;
  /** The current revision: the history is read again when it changes. */
  readonly revision: number;
};

/** The revisions of a project's variables, newest first. */
export function History({ id, revision }: Props) {
  const revisions = useVariableRevisions(id);
  const newest = revisions.value?.revisions[0]?.revision ?? 0;
  useEffect(() => {
    if (revisions.value !== null && newest !== revision) void revisions.reload();
  }, [revision]);
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      <PagedList
        of={revisions}
        what="changes"
        rowsOf={(page) => page.revisions}
        keyOf={(row) => row.revision}
        readOlder={(cursor) =>
          variableApi.listVariableRevisions({ params: { project_id: id }, query: { cursor } })
        }
      >
        {(rows) => (
          <>
            {rows.length === 0 ? <p class="quiet">No changes yet.</p> : null}
            <ol>
              {rows.map((one) => (
                <li key={one.revision}>
                  <RevisionText revision={one} />
                </li>
              ))}
            </ol>
          </>
        )}
      </PagedList>
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
        · <Ago time={changedAt} /> by {changedBy.name} ·
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
