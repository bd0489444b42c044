import { useState } from "preact/hooks";
import * as z from "zod/mini";

import { CreateOwnerInput } from "#contract/endpoints/members/schemas.ts";
import { withNewPasskey } from "#dashboard/data/new-passkey.ts";
import { obstacleHere } from "#dashboard/data/passkeys.ts";
import { startRecoveryHint } from "#dashboard/data/recovery-hint.ts";
import { reloadWatched } from "#dashboard/data/resource.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { membersApi } from "#dashboard/pages/members/member-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { emailIn, NewPersonFields, noPerson } from "#dashboard/shared/new-person.tsx";
import { PasskeyNotice } from "#dashboard/shared/passkey-notice.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

/** The browser creates the passkey when the other fields are valid. */
const OwnerFields = z.omit(CreateOwnerInput, { passkey: true });
type OwnerFields = z.infer<typeof OwnerFields>;

/** Makes the person who has signed in by a link the owner of the account. */
export function CreateOwner({ onClose }: { readonly onClose: () => void }) {
  const [person, setPerson] = useState(noPerson);
  const creating = useAction((fields: OwnerFields) =>
    withNewPasskey((passkey) => membersApi.createOwner({ body: { ...fields, passkey } })),
  );
  const form = readForm(OwnerFields, { ...person, name: person.name.trim(), email: emailIn(person.email) });
  const create = async () => {
    if (!form.ok || (await creating.run(form.value)) === null) return;
    startRecoveryHint();
    onClose();
    // The session is the owner's now.
    reloadWatched();
  };
  const obstacle = obstacleHere();
  return (
    <Dialog title="Create the owner" onClose={onClose}>
      <p>
        You sign in with a passkey from now on, and can invite others. A sign-in link stays the way back in
        when all passkeys are lost.
      </p>
      {obstacle === null ? (
        <Form onSubmit={create}>
          <NewPersonFields person={person} onChange={setPerson} errors={form.errors} />
          <ProblemBox problem={creating.problem} doing="Creating the owner" />
          <footer>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" isBusy={creating.isRunning}>
              Create owner
            </Button>
          </footer>
        </Form>
      ) : (
        <>
          <PasskeyNotice obstacle={obstacle} />
          <p>
            Each address has its own session. To sign in there, create another link with{" "}
            <code>{signInCommand(location)}</code>.
          </p>
          <footer>
            <Button onClick={onClose}>Close</Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
