import { useState } from "preact/hooks";

import { UpdatePasskeyInput } from "#contract/endpoints/profile/schemas.ts";
import { withNewPasskey } from "#dashboard/data/new-passkey.ts";
import { nameOfThisDevice } from "#dashboard/data/passkeys.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { PasskeyNameField } from "#dashboard/shared/new-person.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = { readonly onAdded: () => void; readonly onClose: () => void };

/** Creates another passkey for the person who is signed in. */
export function AddPasskey({ onAdded, onClose }: Props) {
  const [name, setName] = useState(nameOfThisDevice);
  const adding = useAction((given: string) =>
    withNewPasskey((passkey) => profileApi.addPasskey({ body: { name: given, passkey } })),
  );
  const form = readForm(UpdatePasskeyInput, { name: name.trim() });
  const add = async () => {
    if (form.ok && (await adding.run(form.value.name)) !== null) onAdded();
  };
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form onSubmit={add}>
        <p>The browser asks where to store it: on this device, in a password manager, or on your phone.</p>
        <PasskeyNameField value={name} onInput={setName} error={form.errors["name"] ?? null} />
        <ProblemBox problem={adding.problem} doing="Adding the passkey" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={adding.isRunning}>
            Add passkey
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
