import { useEffect, useState } from "preact/hooks";

import type { OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import { getSignInOptions, leaveForProvider } from "#dashboard/data/provider-sign-in.ts";
import { signOutUrl } from "#dashboard/data/pending-sign-in.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly connections: readonly OfferedConnection[];
  readonly act: "sign_in" | "confirm" | "add_identity";
  /** Before the name of a connection. */
  readonly verb: string;
  /** The code of an invitation that is accepted. */
  readonly invitationCode?: string;
};

/** A button for each provider, which sends the browser there. */
export function ProviderButtons({ connections, act, verb, invitationCode }: Props) {
  const leaving = useAction((id: OfferedConnection["id"]) =>
    leaveForProvider({ act, connection_id: id, invitation_code: invitationCode ?? null }),
  );
  return (
    <>
      <ProblemBox problem={leaving.problem} doing="Opening the provider" />
      <p class="actions">
        {connections.map(({ id, name }) => (
          <Button key={id} isBusy={leaving.isRunning} onClick={() => leaving.run(id)}>
            {`${verb} ${name}`}
          </Button>
        ))}
      </p>
    </>
  );
}

/** The part of the sign-in page for providers. */
export function ProviderSignIn() {
  const [connections, setConnections] = useState<readonly OfferedConnection[]>([]);
  const [email, setEmail] = useState("");
  const [isUnknown, setIsUnknown] = useState(false);
  const finding = useAction(getSignInOptions);
  useEffect(() => {
    void finding.run(null).then((found) => setConnections(found?.value.connections ?? []));
  }, []);
  const find = async () => {
    const domain = email.trim().toLowerCase().split("@").at(-1) ?? "";
    const found = await finding.run(domain);
    if (found === null) return;
    setConnections(found.value.connections);
    setIsUnknown(found.value.connections.length === 0);
  };
  const signOut = signOutUrl();
  return (
    <>
      {connections.length === 0 ? (
        <details>
          <summary>Use single sign-on</summary>
          <Form onSubmit={find}>
            <Field
              label="E-mail address at work"
              value={email}
              onInput={setEmail}
              placeholder="ada@example.com"
              hint="To find the provider of your account. Only the part after the @ is sent."
            />
            <ProblemBox problem={finding.problem} doing="Looking for your provider" />
            {isUnknown ? <p role="status">There is no single sign-on for this address.</p> : null}
            <Button type="submit" isBusy={finding.isRunning}>
              Continue
            </Button>
          </Form>
        </details>
      ) : (
        <ProviderButtons connections={connections} act="sign_in" verb="Sign in with" />
      )}
      {signOut === null ? null : (
        <p class="quiet">
          You may still be signed in at your provider. <a href={signOut}>Sign out there too</a>
        </p>
      )}
    </>
  );
}
