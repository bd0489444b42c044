import { useEffect, useState } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { isConnectCode } from "#contract/endpoints/connect/connect-code.ts";
import { connectEndpoints } from "#contract/endpoints/connect/endpoints.ts";
import { ConnectInput } from "#contract/endpoints/connect/schemas.ts";
import { DEFAULT_LIFETIME_DAYS, MAX_LIFETIME_DAYS } from "#contract/endpoints/tokens/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import {
  type ConnectRequest,
  newProof,
  proofAddress,
  readConnectRequest,
} from "#dashboard/pages/connect/connect-request.ts";
import { connectChoices } from "#dashboard/pages/connect/connect-scopes.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { scopesText } from "#dashboard/text/permissions.ts";

const commands = clientOf(connectEndpoints);

const CONNECTED = "#connected";

/** Allows a gantry command to sign in as the person who is signed in. `gantry login` opens it. */
export function ConnectPage() {
  const account = useAccount(ALL);
  const [hash, setHash] = useState(() => location.hash);
  // In a tab that shows this page already, another address changes only the fragment.
  useEffect(() => {
    const follow = () => setHash(location.hash);
    globalThis.addEventListener("hashchange", follow);
    return () => globalThis.removeEventListener("hashchange", follow);
  }, []);
  const request = readConnectRequest(hash);
  return (
    <Page title="Sign in a command">
      {hash === CONNECTED ? (
        <Done />
      ) : request === null ? (
        <p class="notice">
          This page is for <code>gantry login</code>, which opens it. Run{" "}
          <code>gantry login {location.origin}</code>.
        </p>
      ) : (
        <Show of={account} what="the account">
          {(value) => <Asked key={request.challenge} request={request} account={value} />}
        </Show>
      )}
    </Page>
  );
}

function Done() {
  return (
    <p class="notice" role="status">
      <strong>The command may sign in.</strong> Return to the terminal. You can close this page.
    </p>
  );
}

type Props = { readonly request: ConnectRequest; readonly account: Account };

function Asked({ request, account }: Props) {
  const { member } = account;
  const { challenge, name, port } = request;
  const choices = connectChoices(account);
  const [first = ""] = choices.keys();
  const [typed, setTyped] = useState({
    code: "",
    name: name ?? "gantry",
    days: String(DEFAULT_LIFETIME_DAYS),
  });
  const [chosen, setChosen] = useState(first);
  const [isAllowed, setIsAllowed] = useState(false);
  const allowing = useAction((body: ConnectInput) => commands.connectCommand({ body }));
  const scopes = choices.get(chosen) ?? [];
  const form = readForm(ConnectInput, {
    challenge,
    code: typed.code,
    name: typed.name,
    scopes,
    expires_in_days: Number(typed.days),
  });
  const allow = async () => {
    if (!form.ok) return;
    if (port === null) {
      setIsAllowed((await allowing.run(form.value)) !== null);
      return;
    }
    const { proof, challenge: proofChallenge } = await newProof();
    if ((await allowing.run({ ...form.value, proof_challenge: proofChallenge })) !== null)
      location.assign(proofAddress(port, proof));
  };
  if (member === null)
    return (
      <p class="notice">
        Only a member can allow a command to sign in, and you are signed in without a name. Sign out, and sign
        in with your passkey. Or create a token, and run <code>gantry login --with-token</code>.
      </p>
    );
  if ((choices.get(first) ?? []).length === 0)
    return <p class="notice">You may do nothing that a command could do for you with this session.</p>;
  if (isAllowed) return <Done />;
  return (
    <section>
      <p>
        A <code>gantry</code> command{name === null ? "" : " on "}
        {name === null ? null : <strong>{name}</strong>} asks to sign in as <strong>{member.name}</strong>.
        Allow it only if you have started it yourself.
      </p>
      {port === null ? (
        <p class="notice">
          <strong>The command can be on any machine.</strong> If somebody has sent you this page or the code,
          close it: they would get access as you.
        </p>
      ) : null}
      <Form onSubmit={allow}>
        <Field
          label="Code in your terminal"
          value={typed.code}
          onInput={(code) => setTyped({ ...typed, code })}
          placeholder="K7QM-2XPD"
          isCode
          error={
            isConnectCode(typed.code, challenge)
              ? null
              : typed.code.replaceAll(/[\s-]/g, "").length === 8
                ? "These are not the characters in your terminal."
                : "Type the eight characters that your terminal shows."
          }
        />
        <Choice label="It may" value={chosen} onChange={setChosen} hint={scopesText(scopes)}>
          {[...choices.keys()].map((text) => (
            <option key={text}>{text}</option>
          ))}
        </Choice>
        <Field
          label="Name of its token"
          value={typed.name}
          onInput={(changed) => setTyped({ ...typed, name: changed })}
          error={form.errors["name"] ?? null}
        />
        <Field
          label="Days until it expires"
          type="number"
          value={typed.days}
          onInput={(days) => setTyped({ ...typed, days })}
          hint={`At most ${MAX_LIFETIME_DAYS}.`}
          error={form.errors["expires_in_days"] ?? null}
        />
        <ProblemBox problem={allowing.problem} doing="Allowing the command" />
        <Button type="submit" variant="primary" isBusy={allowing.isRunning}>
          Allow
        </Button>
      </Form>
    </section>
  );
}
