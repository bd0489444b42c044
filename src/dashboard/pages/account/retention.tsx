import { useState } from "preact/hooks";

import { type Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  /** With the saved values. */
  readonly account: Account;
  readonly onSaved: () => Promise<unknown>;
};

/** A form for how long logs and deployments are kept. */
export function Retention({ account, onSaved }: Props) {
  const saved = {
    logs: String(account.log_retention_days),
    deployments: String(account.deployment_retention_days ?? ""),
  };
  const [logs, setLogs] = useState(saved.logs);
  const [deployments, setDeployments] = useState(saved.deployments);
  const saving = useAction((body: UpdateAccountInput) => api.updateAccount({ body }));
  const input = {
    log_retention_days: Number(logs),
    deployment_retention_days: deployments.trim() === "" ? null : Number(deployments),
  };
  const form = readForm(UpdateAccountInput, input);
  const isChanged = logs !== saved.logs || deployments !== saved.deployments;
  const [isSaved, setIsSaved] = useState(false);
  const save = async () => {
    if (!form.ok || (await saving.run(form.value)) === null) return;
    await onSaved();
    setIsSaved(true);
  };
  return (
    <Form class="settings" onSubmit={save}>
      <fieldset>
        <legend>Retention</legend>
        <Field
          label="Log retention in days"
          type="number"
          value={logs}
          onInput={setLogs}
          hint="Counted from the end of a deployment."
          error={form.errors["log_retention_days"] ?? null}
        />
        <Field
          label="Deployment retention in days"
          type="number"
          value={deployments}
          onInput={setDeployments}
          hint="Counted from the end of a deployment. Empty: deployments are kept forever. The live one, rollback targets and the newest 100 of each project always stay. Removed deployments cannot be restored."
          error={form.errors["deployment_retention_days"] ?? null}
        />
      </fieldset>
      <SaveBar
        saving={saving}
        canSave={isChanged && form.ok}
        saved={isSaved && !isChanged ? "Saved." : null}
      />
    </Form>
  );
}
