import { useState } from "preact/hooks";

import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";
import { serversOf, type Variable, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { useCanSeal } from "#dashboard/pages/variables/can-seal.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import { variableApi } from "#dashboard/pages/variables/variable-resources.ts";
import { ConflictBox } from "#dashboard/pages/variables/conflict-box.tsx";
import {
  afterSaving,
  changed,
  VariablesDraft,
  type Edit,
  editOf,
  errorsIn,
  isSecret,
  newEdit,
  withEdit,
  withImported,
  withNewEdit,
  withoutEdit,
  withoutSecrets,
  withRemovalToggled,
} from "#dashboard/pages/variables/draft.ts";
import { EditFields } from "#dashboard/pages/variables/edit-fields.tsx";
import { ImportDialog } from "#dashboard/pages/variables/import-dialog.tsx";
import { cannotSeal, sealDraft } from "#dashboard/pages/variables/seal-draft.ts";
import { SealNotices } from "#dashboard/pages/variables/seal-notices.tsx";
import { VariableRow } from "#dashboard/pages/variables/variable-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { ViewOnlyNotice } from "#dashboard/shared/view-only.tsx";

type Props = {
  readonly projectName: string;
  /** The variables as they were read last. */
  readonly read: Variables;
  readonly reload: () => Promise<void>;
};

/** The list of variables. Changes are collected, and saved together as one revision. */
export function VariablesForm({ projectName, read, reload }: Props) {
  // The saved variables are known before they are read again.
  const [saved, setSaved] = useState<Variables | null>(null);
  const known = saved !== null && saved.revision > read.revision ? saved : read;
  const { draft, change } = useDraft(`variables of ${known.project_id}`, VariablesDraft, withoutSecrets);
  const [hasTried, setHasTried] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const [isImporting, setIsImporting] = useState(false);
  const [query, setQuery] = useState("");
  const mayChange = useAllowed(variableEndpoints.updateVariables, read.project_id);
  const canSeal = useCanSeal();
  const saving = useAction(async (sent: VariablesDraft) => {
    const body = await sealDraft(sent, known);
    return body === null
      ? cannotSeal()
      : variableApi.updateVariables({ params: { project_id: known.project_id }, body });
  });

  const edits = draft?.edits ?? [];
  const removed = draft?.removed ?? [];
  const isConflict = draft !== null && draft.revision !== known.revision;
  const hasKeys = serversOf(known).every(({ seal_key: key }) => key !== null);
  const blocksSecrets = !hasKeys || canSeal === false;
  const errorsOf = (edit: Edit) => {
    const errors = errorsIn(edit, edits);
    return isSecret(edit) && blocksSecrets ? { ...errors, value: "Secrets cannot be sealed here." } : errors;
  };
  const isValid = edits.every((edit) => {
    const { name, value } = errorsOf(edit);
    return name === null && value === null;
  });
  const open = (edit: Edit) => {
    setOpened(edit.key);
    change((now) => withNewEdit(now, known, edit));
  };
  const toggleRemoved = (name: string) => change((now) => withRemovalToggled(now, known, name));
  const save = async () => {
    setHasTried(true);
    if (draft === null || isConflict || !isValid) return;
    const result = await saving.run(draft);
    if (result !== null) {
      setSaved(result.value);
      setHasTried(false);
      change((now) => afterSaving(now, draft, result.value));
    }
    // After a refusal, somebody may have changed the variables.
    await reload();
  };
  const fieldsOf = (edit: Edit) => (
    <EditFields
      key={edit.key}
      edit={edit}
      errors={errorsOf(edit)}
      takesFocus={edit.key === opened}
      replaces={edit.of === null && known.variables.some(({ name }) => name === edit.name.trim())}
      onChange={(edited) => change((now) => withEdit(now, known, edited))}
      onClose={() => change((now) => withoutEdit(now, known, edit.key))}
    />
  );
  const editIn = ({ name }: Variable) => edits.find(({ of }) => of === name);
  const isUnreadable = ({ name }: Variable) => known.not_sealed.includes(name);
  const rows = known.variables.filter(
    (variable) => editIn(variable) !== undefined || matches(variable.name, query),
  );
  const added = edits.filter(({ of }) => !known.variables.some(({ name }) => name === of));
  return (
    <>
      <Form class="variables" onSubmit={save}>
        {mayChange ? null : <ViewOnlyNotice what="the variables" />}
        <SealNotices variables={known} projectName={projectName} canSeal={canSeal} />
        <header class="page">
          <h2>{known.revision === 0 ? "No variables yet" : `Revision ${known.revision}`}</h2>
          {mayChange ? (
            <div class="actions">
              <Button onClick={() => open(newEdit())}>Add a variable</Button>
              <Button onClick={() => setIsImporting(true)}>Import .env</Button>
            </div>
          ) : null}
        </header>
        <Find what="variable" count={known.variables.length} query={query} onInput={setQuery} />
        {added.length + rows.length === 0 ? null : (
          <ul class="list">
            {added.map((edit) => (
              <li key={edit.key}>{fieldsOf(edit)}</li>
            ))}
            {[...rows.filter(isUnreadable), ...rows.filter((one) => !isUnreadable(one))].map((variable) => {
              const edit = editIn(variable);
              return (
                <li key={variable.name}>
                  <VariableRow
                    variable={variable}
                    isUnreadable={isUnreadable(variable)}
                    isRemoved={removed.includes(variable.name)}
                    onEdit={mayChange && edit === undefined ? () => open(editOf(variable)) : null}
                    onRemove={mayChange && edit === undefined ? () => toggleRemoved(variable.name) : null}
                  />
                  {edit === undefined ? null : fieldsOf(edit)}
                </li>
              );
            })}
          </ul>
        )}
        {isConflict ? (
          <ConflictBox
            projectId={known.project_id}
            draft={draft}
            current={known.revision}
            onKeep={() => change((now) => changed(now, known, { revision: known.revision }))}
          />
        ) : null}
        {mayChange ? (
          <SaveBar
            saving={isConflict ? { isRunning: saving.isRunning, problem: null } : saving}
            canSave={draft !== null && !isConflict && (isValid || !hasTried)}
            saved={
              draft === null && saved !== null
                ? `Saved as revision ${saved.revision}. It applies from the next deployment.`
                : null
            }
            onDiscard={draft === null ? undefined : () => change(() => null)}
          />
        ) : null}
      </Form>
      {isImporting ? (
        <ImportDialog
          onImport={(entries, secret) => change((now) => withImported(now, known, entries, secret))}
          onClose={() => setIsImporting(false)}
        />
      ) : null}
    </>
  );
}
