import { useState } from "preact/hooks";

import type { Member } from "#contract/endpoints/members/schemas.ts";
import { UpdateProfileInput } from "#contract/endpoints/profile/schemas.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { MemberRoles } from "#dashboard/pages/members/member-roles.tsx";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { emailIn } from "#dashboard/shared/new-person.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  /** With the saved values. */
  readonly member: Member;
  readonly onSaved: () => Promise<unknown>;
};

/** A form for the person's name and e-mail address. */
export function PersonForm({ member, onSaved }: Props) {
  const account = useAccount(ALL);
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email ?? "");
  const [isSaved, setIsSaved] = useState(false);
  const saving = useAction((body: UpdateProfileInput) => profileApi.updateProfile({ body }));
  const form = readForm(UpdateProfileInput, { name: name.trim(), email: emailIn(email) });
  const isChanged = name !== member.name || email !== (member.email ?? "");
  const save = async () => {
    const saved = form.ok ? await saving.run(form.value) : null;
    if (saved === null) return;
    setName(saved.value.member.name);
    setEmail(saved.value.member.email ?? "");
    await Promise.all([onSaved(), account.reload()]);
    setIsSaved(true);
  };
  return (
    <Form class="settings" onSubmit={save}>
      <fieldset>
        <legend>About you</legend>
        <Field
          label="Name"
          value={name}
          onInput={setName}
          hint="Deployments and the audit log show it."
          error={form.errors["name"] ?? null}
        />
        <Field
          label="E-mail address (optional)"
          value={email}
          onInput={setEmail}
          hint="Other members see it. You do not sign in with it."
          error={form.errors["email"] ?? null}
        />
        <dl class="facts">
          <dt>Role</dt>
          <dd>
            <MemberRoles member={member} />
          </dd>
        </dl>
      </fieldset>
      <SaveBar saving={saving} canSave={isChanged} saved={isSaved && !isChanged ? "Saved." : null} />
    </Form>
  );
}
