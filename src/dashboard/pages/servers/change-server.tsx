import { useState } from "preact/hooks";

import { type ServerRow, UpdateServerInput } from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly row: ServerRow;
  readonly onClose: () => void;
  readonly onChanged: () => unknown;
};

/** Changes a server's name and IP address. */
export function ChangeServer({ row, onClose, onChanged }: Props) {
  const [draft, setDraft] = useState({ name: row.name, ip: row.ip });
  const changing = useAction((body: UpdateServerInput) =>
    api.updateServer({ params: { server_id: row.id }, body }),
  );
  const parsed = UpdateServerInput.safeParse(draft);
  const errors = parsed.success ? {} : errorsOf(parsed.error);
  const change = async () => {
    if (!parsed.success || (await changing.run(parsed.data)) === null) return;
    onClose();
    await onChanged();
  };
  return (
    <Dialog title={`Edit ${row.name}`} onClose={onClose}>
      <Form onSubmit={change}>
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => setDraft({ ...draft, name })}
          error={errors["name"] ?? null}
        />
        <Field
          label="IPv4 address"
          value={draft.ip}
          onInput={(ip) => setDraft({ ...draft, ip })}
          isCode
          error={errors["ip"] ?? null}
        />
        <ProblemBox problem={changing.problem} doing="Saving" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={changing.isRunning} isDisabled={!parsed.success}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
