import { useEffect, useState } from "preact/hooks";
import * as z from "zod/mini";

import { createClientOf } from "#client/client.ts";
import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { AcceptInvitationInput, type FoundInvitation } from "#contract/endpoints/members/schemas.ts";
import { codeInAddress } from "#dashboard/data/code-in-address.ts";
import { createPasskey, obstacleHere } from "#dashboard/data/passkeys.ts";
import { startRecoveryHint } from "#dashboard/data/recovery-hint.ts";
import { openTransport, startSession } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { roleOfGrant } from "#dashboard/pages/members/grant-texts.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { LonePage } from "#dashboard/shared/lone-page.tsx";
import { NewPersonFields, noPerson } from "#dashboard/shared/new-person.tsx";
import { PasskeyNotice } from "#dashboard/shared/passkey-notice.tsx";
import { ProviderButtons } from "#dashboard/shared/provider-buttons.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { goTo } from "#dashboard/router/navigation.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { readForm } from "#dashboard/text/field-errors.ts";

/** The browser creates the passkey when the other fields are valid. */
const JoinFields = z.omit(AcceptInvitationInput, { passkey: true });
type JoinFields = z.infer<typeof JoinFields>;

const invitations = createClientOf(memberEndpoints, openTransport);

const lookUp = (code: string) => invitations.lookUpInvitation({ body: { code } });

/** Accepts an invitation: a person creates a passkey and is signed in. */
export function Join() {
  const obstacle = obstacleHere();
  // The link has to be opened at another address, so it stays as it is.
  if (obstacle === null) return <JoinHere />;
  return (
    <LonePage title="Join" heading="Join Gantry">
      <PasskeyNotice obstacle={obstacle} />
    </LonePage>
  );
}

const KeptCode = z.object({ code: z.string() });

/**
 * The code of the link that opened the page; null: none is known. It is kept in the history entry of this tab, so that the page can be
 * reloaded. Joining replaces the entry.
 */
function invitationCode(): string | null {
  const code = codeInAddress();
  if (code === null) return KeptCode.safeParse(history.state).data?.code ?? null;
  history.replaceState({ code }, "");
  return code;
}

function JoinHere() {
  const [code, setCode] = useState(invitationCode);
  const looking = useAction(lookUp);
  const [invitation, setInvitation] = useState<FoundInvitation | null>(null);
  const look = async () => {
    const answer = code === null ? null : await looking.run(code);
    setInvitation(answer?.value ?? null);
  };
  useEffect(() => void look(), [code]);
  // In a tab that shows this page already, a pasted link changes only the fragment.
  useEffect(() => {
    const consume = () => setCode((earlier) => invitationCode() ?? earlier);
    globalThis.addEventListener("hashchange", consume);
    return () => globalThis.removeEventListener("hashchange", consume);
  }, []);
  return (
    <LonePage
      title="Join"
      heading={invitation === null ? "Join Gantry" : `Join ${invitation.account} on Gantry`}
    >
      {invitation !== null && code !== null ? (
        <Invited code={code} invitation={invitation} />
      ) : code === null ? (
        <p class="notice" role="status">
          Open the link from your message again. The address of this page has no invitation.
        </p>
      ) : looking.problem?.code === "invalid_token" ? (
        <Unusable />
      ) : looking.problem === null ? (
        <Waiting what="Reading the invitation" />
      ) : (
        <ProblemBox problem={looking.problem} doing="Reading the invitation" retry={look} />
      )}
    </LonePage>
  );
}

/** What to do with a link that does not work. */
function Unusable() {
  return (
    <>
      <p class="problem" role="alert">
        <strong>This invitation was used, was withdrawn or has expired.</strong> Ask the person who invited
        you for another one.
      </p>
      <p>
        If you have joined already, <a href={pathTo({ page: "sign_in" })}>sign in with your passkey</a>.
      </p>
    </>
  );
}

type InvitedProps = { readonly code: string; readonly invitation: FoundInvitation };

function Invited({ code, invitation }: InvitedProps) {
  const { invited_by: inviter, grants, email, expires_at: expiresAt } = invitation;
  const [person, setPerson] = useState(noPerson);
  const { name, passkey_name: passkeyName } = person;
  const form = readForm(JoinFields, { name: name.trim(), passkey_name: passkeyName, code });
  const joining = useAction(async (fields: JoinFields) => {
    // A new challenge: the form may have been open for longer than the first one counts.
    const asked = await lookUp(code);
    if (!asked.ok) return asked;
    const passkey = await createPasskey(asked.value.challenge);
    if (!passkey.ok) return passkey;
    return await invitations.acceptInvitation({ body: { ...fields, passkey: passkey.value } });
  });
  const join = async () => {
    const joined = form.ok ? await joining.run(form.value) : null;
    if (joined === null) return;
    startRecoveryHint();
    await startSession(joined.value);
    goTo({ page: "overview" }, { replace: true });
  };
  return (
    <section>
      <p>
        {inviter === null ? "You are invited" : `${inviter} invites you`}
        {email === null ? "" : ` (${email})`} to join as:
      </p>
      <ul class="grants">
        {grants.map((grant, at) => (
          <li key={at}>{roleOfGrant(grant)}</li>
        ))}
      </ul>
      <p class="quiet">
        The invitation expires <Ago time={expiresAt} />.
      </p>
      {invitation.connections.length === 0 ? null : (
        <ProviderButtons
          connections={invitation.connections}
          act="sign_in"
          verb="Join with"
          invitationCode={code}
        />
      )}
      <Form onSubmit={join}>
        <NewPersonFields person={person} onChange={setPerson} errors={form.errors} hasEmail={false} />
        <ProblemBox problem={joining.problem} doing="Joining" />
        <Button type="submit" variant="primary" isBusy={joining.isRunning}>
          Create a passkey and join
        </Button>
      </Form>
    </section>
  );
}
