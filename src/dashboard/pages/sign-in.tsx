import { useEffect, useState } from "preact/hooks";

import { isWellFormedToken } from "#contract/token-form.ts";
import { type SessionState, signInWithCode, signInWithToken } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { goTo } from "#dashboard/router/navigation.ts";
import { routeAt } from "#dashboard/router/route.ts";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

/** The code of a sign-in link; null if the address has none. */
function consumeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // Removed from the address and the history: it works only once and must not be bookmarked.
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}

/** Signs in with a link or a token, and says how to get one. */
export function SignIn({ state }: { readonly state: SessionState }) {
  const [code, setCode] = useState(consumeCode);
  const [token, setToken] = useState("");
  const [isMalformed, setIsMalformed] = useState(false);
  const exchanging = useAction(signInWithCode);
  const signingIn = useAction(signInWithToken);

  const leave = () => {
    if (routeAt(location.pathname).page === "sign_in") goTo({ page: "overview" }, { replace: true });
  };
  const exchange = async () => {
    if (code !== null && (await exchanging.run(code)) !== null) leave();
  };
  useEffect(() => void exchange(), [code]);
  // In a tab that shows this page already, a pasted link changes only the fragment.
  useEffect(() => {
    const consume = () => setCode((earlier) => consumeCode() ?? earlier);
    globalThis.addEventListener("hashchange", consume);
    return () => globalThis.removeEventListener("hashchange", consume);
  }, []);

  const submit = async () => {
    const given = token.trim();
    setIsMalformed(!isWellFormedToken(given));
    if (isWellFormedToken(given) && (await signingIn.run(given)) !== null) leave();
  };

  if (exchanging.isRunning)
    return (
      <Page title="Sign in">
        <Waiting what="Signing in" />
      </Page>
    );
  const isUsed = exchanging.problem?.code === "invalid_token";
  return (
    <div class="lone">
      <Page
        title="Sign in"
        heading={
          <>
            <img src="/app/assets/icon.svg" alt="" width="32" height="32" />
            Sign in to Gantry
          </>
        }
      >
        {state === "ended" ? <p role="status">Your session has ended. Sign in again.</p> : null}
        {isUsed ? (
          <p class="problem" role="alert">
            <strong>This link was used or has expired.</strong> A link works once, within 10 minutes. Create
            another one.
          </p>
        ) : (
          <ProblemBox problem={exchanging.problem} doing="Signing in" retry={exchange} />
        )}
        <section>
          <h2>With a link</h2>
          <p>
            A sign-in link works once, within 10 minutes. To create one, run this line in your clone of
            Gantry:
          </p>
          <pre tabIndex={0}>{signInCommand(location)}</pre>
        </section>
        <section>
          <h2>With a token</h2>
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
            <Button type="submit" variant="primary" isBusy={signingIn.isRunning}>
              Sign in
            </Button>
          </Form>
        </section>
        <p class="quiet">
          New here? <a href="/docs/guides/first-hour">The first hour</a> · <a href="/docs">Documentation</a>
        </p>
      </Page>
    </div>
  );
}
