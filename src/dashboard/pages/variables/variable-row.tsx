import type { Variable } from "#contract/endpoints/variables/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly variable: Variable;
  /** The server cannot open it. */
  readonly isUnreadable: boolean;
  /** It will be removed when the changes are saved. */
  readonly isRemoved: boolean;
  /** null: it cannot be edited, or is being edited. */
  readonly onEdit: (() => void) | null;
  /** Removes the variable, or keeps a variable that is marked for removal. */
  readonly onRemove: (() => void) | null;
};

/** A variable with its value, and who changed it when. */
export function VariableRow({ variable, isUnreadable, isRemoved, onEdit, onRemove }: Props) {
  const { name, revision, changed_at: changedAt, changed_by: changedBy } = variable;
  return (
    <div class="variable">
      <h3>
        <code>{isRemoved ? <del>{name}</del> : name}</code>
      </h3>
      <p>
        {isUnreadable ? (
          <strong class="error">Enter it again</strong>
        ) : variable.secret ? (
          <span class="tag">sealed</span>
        ) : (
          <PlainValue value={variable.value} />
        )}{" "}
        {variable.secret ? (
          <span class="quiet">
            {variable.build ? "for processes and all commands" : "for processes and all commands but builds"}
          </span>
        ) : null}
      </p>
      <p class="quiet">
        <Ago time={changedAt} /> by {changedBy.name}, revision {revision}
      </p>
      <div class="actions">
        {isRemoved ? <span class="quiet">Will be removed.</span> : null}
        {isRemoved || onEdit === null ? null : (
          <Button variant="subtle" label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
        )}
        {onRemove === null ? null : (
          <Button variant="subtle" label={`${isRemoved ? "Keep" : "Remove"} ${name}`} onClick={onRemove}>
            {isRemoved ? "Keep" : "Remove"}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Longer values are shown in full while they are edited. */
const MAX_SHOWN = 300;

function PlainValue({ value }: { readonly value: string }) {
  if (value === "") return <span class="quiet">empty</span>;
  const isLong = value.length > MAX_SHOWN;
  return (
    <code class="value">
      {withHiddenShown(value.slice(0, MAX_SHOWN))}
      {isLong ? "…" : ""}
    </code>
  );
}
