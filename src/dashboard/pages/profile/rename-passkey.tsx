import { useState } from "preact/hooks";

import { type Passkey, UpdatePasskeyInput } from "#contract/endpoints/profile/schemas.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { PasskeyNameField } from "#dashboard/shared/new-person.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = { readonly passkey: Passkey; readonly onRenamed: () => void; readonly onClose: () => void };

export function RenamePasskey({ passkey, onRenamed, onClose }: Props) {
  const [name, setName] = useState(passkey.name);
  const renaming = useAction((body: UpdatePasskeyInput) =>
    profileApi.updatePasskey({ params: { passkey_id: passkey.id }, body }),
  );
  const form = readForm(UpdatePasskeyInput, { name: name.trim() });
  const rename = async () => {
    if (form.ok && (await renaming.run(form.value)) !== null) onRenamed();
  };
  return (
    <Dialog title={`Rename ${passkey.name}`} onClose={onClose}>
      <Form onSubmit={rename}>
        <PasskeyNameField value={name} onInput={setName} error={form.errors["name"] ?? null} />
        <ProblemBox problem={renaming.problem} doing="Renaming the passkey" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={renaming.isRunning}>
            Rename
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
