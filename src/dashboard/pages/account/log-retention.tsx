import { useState } from "preact/hooks";

import { UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = {
  /** As it is now. */
  readonly days: number;
  readonly onSaved: () => Promise<unknown>;
};

/** For how long logs are kept. */
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
          label="Days that logs are kept"
          type="number"
          value={typed}
          onInput={setTyped}
          hint="From the end of a deployment on. Deployments themselves stay."
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
