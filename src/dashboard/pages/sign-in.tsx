import { useEffect, useState } from "preact/hooks";

import { isWellFormedToken } from "#contract/token-form.ts";
import { codeInAddress } from "#dashboard/data/code-in-address.ts";
import { type SessionState, signInWith, signInWithToken } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { lazy } from "#dashboard/shared/lazy.tsx";
import { LonePage } from "#dashboard/shared/lone-page.tsx";
import { PasskeySignIn } from "#dashboard/shared/passkey-sign-in.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { goTo } from "#dashboard/router/navigation.ts";
import { routeAt } from "#dashboard/router/route.ts";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

const ProviderSignIn = lazy(async () => (await import("#dashboard/after-first-page.ts")).ProviderSignIn);
const RecoveryForm = lazy(async () => (await import("#dashboard/after-first-page.ts")).RecoveryForm);

/** Leaves the sign-in page. At another page's address, the page is shown now. */
function leave(): void {
  if (routeAt(location.pathname).page === "sign_in") goTo({ page: "overview" }, { replace: true });
}

/** Signs in with a passkey, a link or a token, and says how to get a link. */
export function SignIn({ state }: { readonly state: SessionState }) {
  const [code, setCode] = useState(codeInAddress);
  const [toggles, setToggles] = useState(0);
  const exchanging = useAction((given: string) => signInWith({ code: given }));

  const exchange = async () => {
    if (code !== null && (await exchanging.run(code)) !== null) leave();
  };
  useEffect(() => void exchange(), [code]);
  // In a tab that shows this page already, a pasted link changes only the fragment.
  useEffect(() => {
    const consume = () => setCode((earlier) => codeInAddress() ?? earlier);
    globalThis.addEventListener("hashchange", consume);
    return () => globalThis.removeEventListener("hashchange", consume);
  }, []);

  if (exchanging.isRunning) {
    return (
      <LonePage title="Sign in" heading="Sign in to Gantry">
        <Waiting what="Signing in" />
      </LonePage>
    );
  }
  const isUsed = exchanging.problem?.code === "invalid_token";
  return (
    <LonePage title="Sign in" heading="Sign in to Gantry">
      {state === "ended" ? <p role="status">Your session has ended. Sign in again.</p> : null}
      {isUsed ? (
        <p class="problem" role="alert">
          <strong>This link was used or has expired.</strong> A link works once, within 10 minutes. Create
          another one.
        </p>
      ) : (
        <ProblemBox problem={exchanging.problem} doing="Signing in" retry={exchange} />
      )}
      <ProviderSignIn />
      <section>
        <h2>With a passkey</h2>
        {/* Its last problem is removed where the recovery code is used instead. */}
        <PasskeySignIn key={toggles} onSignedIn={leave} />
        <details onToggle={() => setToggles((count) => count + 1)}>
          <summary>Use a recovery code</summary>
          <RecoveryForm />
        </details>
      </section>
      <section>
        <h2>With a link</h2>
        <p>
          A sign-in link works once, within 10 minutes. To create one, run this line in your clone of Gantry:
        </p>
        <pre tabIndex={0}>{signInCommand(location)}</pre>
      </section>
      <section>
        <h2>With a token</h2>
        <TokenForm />
      </section>
      <p class="quiet">
        New here? <a href="/docs/guides/first-hour">The first hour</a> · <a href="/docs">Documentation</a>
      </p>
    </LonePage>
  );
}

function TokenForm() {
  const [token, setToken] = useState("");
  const [isMalformed, setIsMalformed] = useState(false);
  const signingIn = useAction(signInWithToken);
  const submit = async () => {
    const given = token.trim();
    setIsMalformed(!isWellFormedToken(given));
    if (isWellFormedToken(given) && (await signingIn.run(given)) !== null) leave();
  };
  return (
    <Form onSubmit={submit}>
      <Field
        label="API token"
        type="password"
        isCode
        value={token}
        onInput={setToken}
        placeholder="gantry_…"
        hint="Stored in this browser, for all its tabs, until you sign out. The token itself stays valid."
        error={isMalformed ? "This is not a Gantry token. A character is wrong or missing." : null}
      />
      <ProblemBox problem={signingIn.problem} doing="Signing in" />
      <Button type="submit" isBusy={signingIn.isRunning}>
        Sign in
      </Button>
    </Form>
  );
}
