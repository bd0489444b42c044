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

/** The code out of a sign-in link; null where the page was come to without one. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  // Out of the address and the history: it is spent in a moment, and nobody should bookmark it.
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}

/** Lets in who has a link or a token, and tells everybody else how to get one. */
export function SignIn({ state }: { readonly state: SessionState }) {
  const [code] = useState(takeCode);
  const [token, setToken] = useState("");
  const [isMistyped, setIsMistyped] = useState(false);
  const trading = useAction(signInWithCode);
  const pasting = useAction(signInWithToken);

  const arrive = () => {
    if (routeAt(location.pathname).page === "sign_in") goTo({ page: "overview" }, { replace: true });
  };
  const trade = async () => {
    if (code !== null && (await trading.run(code)) !== null) arrive();
  };
  useEffect(() => void trade(), []);

  const paste = async () => {
    const given = token.trim();
    setIsMistyped(!isWellFormedToken(given));
    if (isWellFormedToken(given) && (await pasting.run(given)) !== null) arrive();
  };

  if (trading.isRunning)
    return (
      <Page title="Sign in">
        <Waiting what="Signing in" />
      </Page>
    );
  const isSpent = trading.problem?.code === "invalid_token";
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
        {state === "ended" ? <p role="status">The session has ended. Sign in again to go on.</p> : null}
        {isSpent ? (
          <p class="problem" role="alert">
            <strong>The link does not work any more.</strong> It signs in once, within 10 minutes. Make
            another one.
          </p>
        ) : (
          <ProblemBox problem={trading.problem} doing="Signing in" retry={trade} />
        )}
        <section>
          <h2>With a link</h2>
          <p>
            Where Gantry runs, <code>npm start</code> prints a link that signs in once. Another one is made by
          </p>
          <pre tabIndex={0}>npm run sign-in</pre>
          <p>and for an installation in a Cloudflare account by</p>
          <pre tabIndex={0}>npm run sign-in -- --remote --url {location.origin}</pre>
        </section>
        <section>
          <h2>With a token</h2>
          <Form onSubmit={paste}>
            <Field
              label="API token"
              type="password"
              isCode
              value={token}
              onInput={setToken}
              placeholder="gantry_…"
              hint="Kept for this tab only. Signing out forgets it here; it goes on working elsewhere."
              error={isMistyped ? "This is no token of Gantry: a character is wrong, or missing." : null}
            />
            <ProblemBox problem={pasting.problem} doing="Signing in" />
            <Button type="submit" look="main" isBusy={pasting.isRunning}>
              Sign in
            </Button>
          </Form>
        </section>
      </Page>
    </div>
  );
}
