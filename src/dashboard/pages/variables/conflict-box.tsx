import type { ProjectId } from "#contract/ids.ts";
import { useVariableRevisions } from "#dashboard/pages/variables/variable-resources.ts";
import type { VariablesDraft } from "#dashboard/pages/variables/draft.ts";
import { RevisionText } from "#dashboard/pages/variables/history.tsx";
import { Button } from "#dashboard/shared/button.tsx";

type Props = {
  readonly projectId: ProjectId;
  /** The changes that were made for an earlier revision. */
  readonly draft: VariablesDraft;
  /** The current revision. */
  readonly current: number;
  /** Applies the changes to the current revision. */
  readonly onKeep: () => void;
};

/** What somebody else changed since the user began to edit. Nothing that was typed is lost. */
export function ConflictBox({ projectId, draft, current, onKeep }: Props) {
  const { value } = useVariableRevisions(projectId);
  const newer = (value?.revisions ?? []).filter(({ revision }) => revision > draft.revision);
  const theirs = new Set(newer.flatMap(({ set, removed }) => [...set, ...removed]));
  const mine = [...draft.edits.map(({ name }) => name.trim()), ...draft.removed];
  const both = mine.filter((name) => theirs.has(name));
  return (
    <div class="problem" role="alert">
      <p>
        <strong>The variables were changed in the meantime.</strong> Your changes are not saved yet. The list
        shows revision {current}.
      </p>
      <ul>
        {newer.map((one) => (
          <li key={one.revision}>
            <RevisionText revision={one} />
          </li>
        ))}
      </ul>
      {both.length === 0 ? null : (
        <p>
          You have also changed <code>{both.join(", ")}</code>. Saving replaces the newer{" "}
          {both.length === 1 ? "value" : "values"}.
        </p>
      )}
      <Button onClick={onKeep}>Keep my changes</Button>
    </div>
  );
}
