import { useState } from "preact/hooks";

import { type Member, UpdateMemberInput } from "#contract/endpoints/members/schemas.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { draftsOf, grantsIn, isSame } from "#dashboard/pages/members/grant-draft.ts";
import { GrantFields } from "#dashboard/pages/members/grant-fields.tsx";
import { membersApi } from "#dashboard/pages/members/member-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { emailIn } from "#dashboard/shared/new-person.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly member: Member;
  /** Only owners make owners. */
  readonly canMakeOwner: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** Changes a person's name, address and roles. */
export function EditMember({ member, canMakeOwner, onSaved, onClose }: Props) {
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email ?? "");
  const [isOwner, setIsOwner] = useState(member.is_owner);
  const [grants, setGrants] = useState(() => draftsOf(member.grants));
  const saving = useAction((body: UpdateMemberInput) =>
    membersApi.updateMember({ params: { member_id: member.id }, body }),
  );
  const address = emailIn(email);
  const given = grantsIn(grants);
  const hasGrants = !isOwner && (member.is_owner || !isSame(given, grantsIn(draftsOf(member.grants))));
  const form = readForm(UpdateMemberInput, {
    ...(name.trim() !== member.name && { name: name.trim() }),
    ...(address !== member.email && { email: address }),
    ...(isOwner !== member.is_owner && { is_owner: isOwner }),
    ...(hasGrants && { grants: given }),
  });
  const save = async () => {
    if (form.ok && (await saving.run(form.value)) !== null) onSaved();
  };
  return (
    <Dialog title={`Edit ${member.name}`} onClose={onClose}>
      <Form onSubmit={save} onEdit={saving.clearProblem}>
        <Field label="Name" value={name} onInput={setName} error={form.errors["name"] ?? null} />
        <Field
          label="E-mail address (optional)"
          value={email}
          onInput={setEmail}
          error={form.errors["email"] ?? null}
        />
        {canMakeOwner ? (
          <label class="check">
            <input type="checkbox" checked={isOwner} onChange={() => setIsOwner(!isOwner)} />
            Owner: may do everything, and makes others owners
          </label>
        ) : null}
        {isOwner ? null : <GrantFields grants={grants} onChange={setGrants} errors={form.errors} />}
        <p class="hint">A change counts for their sessions and personal tokens within 10 seconds.</p>
        <ProblemBox problem={saving.problem} doing="Saving" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={saving.isRunning}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
