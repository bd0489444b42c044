import { useState } from "preact/hooks";

import { UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = {
  /** The saved value. */
  readonly days: number;
  readonly onSaved: () => Promise<unknown>;
};

/** A form for how long logs are kept. */
export function LogRetention({ days, onSaved }: Props) {
  const [typed, setTyped] = useState(String(days));
  const saving = useAction((body: UpdateAccountInput) => api.updateAccount({ body }));
  const parsed = UpdateAccountInput.safeParse({ log_retention_days: Number(typed) });
  const errors = parsed.success ? {} : errorsOf(parsed.error);
  const isChanged = typed !== String(days);
  const [isSaved, setIsSaved] = useState(false);
  const save = async () => {
    if (!parsed.success || (await saving.run(parsed.data)) === null) return;
    await onSaved();
    setIsSaved(true);
  };
  return (
    <Form class="settings" onSubmit={save}>
      <fieldset>
        <legend>Logs</legend>
        <Field
          label="Log retention in days"
          type="number"
          value={typed}
          onInput={setTyped}
          hint="Counted from the end of a deployment. Deployments themselves are kept."
          error={errors["log_retention_days"] ?? null}
        />
      </fieldset>
      <SaveBar
        saving={saving}
        canSave={isChanged && parsed.success}
        saved={isSaved && !isChanged ? "Saved." : null}
      />
    </Form>
  );
}
