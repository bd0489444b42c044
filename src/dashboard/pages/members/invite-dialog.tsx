import { useState } from "preact/hooks";

import { CreateInvitationInput, type InvitationWithLink } from "#contract/endpoints/members/schemas.ts";
import { ALL } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { type GrantDraft, grantsIn, newGrant } from "#dashboard/pages/members/grant-draft.ts";
import { GrantFields } from "#dashboard/pages/members/grant-fields.tsx";
import { membersApi, useInvitations } from "#dashboard/pages/members/member-resources.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { emailIn } from "#dashboard/shared/new-person.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { minuteText } from "#dashboard/text/times.ts";

/** Invites a person, and shows the link for them once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const invitations = useInvitations(ALL);
  const [invited, setInvited] = useState<InvitationWithLink | null>(null);
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      {invited === null ? (
        <InviteForm
          onClose={onClose}
          onInvited={(invitation) => {
            setInvited(invitation);
            void invitations.reload();
          }}
        />
      ) : (
        <>
          <p>
            {invited.is_mailed
              ? `A mail with this link is sent to ${invited.email ?? "the person"}.`
              : "Send this link to the person, where only they can read it."}{" "}
            It works once, until {minuteText(invited.expires_at)}, and will not be shown again.
          </p>
          <Copyable text={invited.link} label="Link" replacesForm />
          <footer>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

type FormProps = {
  readonly onInvited: (invitation: InvitationWithLink) => void;
  readonly onClose: () => void;
};

function InviteForm({ onInvited, onClose }: FormProps) {
  const [email, setEmail] = useState("");
  const [grants, setGrants] = useState<readonly GrantDraft[]>([newGrant]);
  const [days, setDays] = useState("7");
  const inviting = useAction((body: CreateInvitationInput) => membersApi.createInvitation({ body }));
  const form = readForm(CreateInvitationInput, {
    email: emailIn(email),
    grants: grantsIn(grants),
    expires_in_days: Number(days),
  });
  const invite = async () => {
    const created = form.ok ? await inviting.run(form.value) : null;
    if (created !== null) onInvited(created.value);
  };
  return (
    <Form onSubmit={invite} onEdit={inviting.clearProblem}>
      <Field
        label="E-mail address (optional)"
        value={email}
        onInput={setEmail}
        placeholder="grace@example.com"
        hint="To recognize the invitation. The link is sent there if this installation sends mail."
        error={form.errors["email"] ?? null}
      />
      <GrantFields grants={grants} onChange={setGrants} errors={form.errors} />
      <Advanced>
        <Field
          label="Days until the link expires"
          type="number"
          value={days}
          onInput={setDays}
          hint="At most 30."
          error={form.errors["expires_in_days"] ?? null}
        />
      </Advanced>
      <ProblemBox problem={inviting.problem} doing="Inviting" />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={inviting.isRunning}>
          Create invitation
        </Button>
      </footer>
    </Form>
  );
}
