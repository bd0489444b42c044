import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/tokens.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useAccount, useTokens } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { CreateToken } from "#dashboard/pages/tokens/create-token.tsx";
import { Button } from "#dashboard/parts/button.tsx";
import { Copyable } from "#dashboard/parts/copy.tsx";
import { Dialog } from "#dashboard/parts/dialog.tsx";
import { Page } from "#dashboard/parts/page.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";
import { Show } from "#dashboard/parts/show.tsx";
import { Ago } from "#dashboard/parts/times.tsx";
import { scopeWords } from "#dashboard/text/words.ts";

/** API tokens, and who is signed in: made, rotated and revoked here, each secret shown once. */
export function Tokens() {
  const tokens = useTokens(ALL);
  const { value: account } = useAccount(ALL);
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<TokenWithSecret | null>(null);
  const show = (token: TokenWithSecret) => {
    setIsMaking(false);
    setShown(token);
    void tokens.reload();
  };
  const list = (kind: Token["kind"], rows: readonly Token[]) =>
    rows
      .filter((token) => token.kind === kind)
      .map((token) => (
        <li key={token.id}>
          <TokenCard
            token={token}
            isOwn={token.id === account?.token.id}
            onRotated={show}
            onRevoked={tokens.reload}
          />
        </li>
      ));
  return (
    <Page
      title="Tokens"
      actions={
        <Button look="main" onClick={() => setIsMaking(true)}>
          Make a token
        </Button>
      }
    >
      <Show of={tokens} what="the tokens">
        {({ tokens: rows }) => (
          <>
            <h2>For programs</h2>
            <ul class="cards">{list("token", rows)}</ul>
            <h2>Signed in to the dashboard</h2>
            <ul class="cards">{list("session", rows)}</ul>
          </>
        )}
      </Show>
      {isMaking ? <CreateToken onMade={show} onClose={() => setIsMaking(false)} /> : null}
      {shown === null ? null : (
        <Dialog title={shown.name} onClose={() => setShown(null)}>
          <p>This is the token. It is shown only now: nobody can look it up later.</p>
          <Copyable text={shown.token} label="The token" />
          <footer>
            <Button look="main" onClick={() => setShown(null)}>
              I have it
            </Button>
          </footer>
        </Dialog>
      )}
    </Page>
  );
}

type CardProps = {
  readonly token: Token;
  /** It is what this page itself is signed in with. */
  readonly isOwn: boolean;
  readonly onRotated: (token: TokenWithSecret) => void;
  readonly onRevoked: () => unknown;
};

function TokenCard({ token, isOwn, onRotated, onRevoked }: CardProps) {
  const params = { token_id: token.id };
  const [isRevoking, setIsRevoking] = useState(false);
  const rotating = useAction(() => api.rotateToken({ params }));
  const revoking = useAction(() => api.revokeToken({ params }));
  const rotate = async () => {
    const rotated = await rotating.run();
    if (rotated !== null) onRotated(rotated.value);
  };
  const revoke = async () => {
    if ((await revoking.run()) === null) return;
    setIsRevoking(false);
    await onRevoked();
  };
  const isSession = token.kind === "session";
  return (
    <article class="card">
      <h3>
        {token.name} {isOwn ? <span class="tag">this tab</span> : null}
      </h3>
      <dl>
        <dt>May</dt>
        <dd>{isSession ? "Everything" : token.scopes.map((scope) => scopeWords[scope]).join("; ")}</dd>
        {token.project_ids === null ? null : (
          <>
            <dt>In</dt>
            <dd>{token.project_ids.length} of the projects</dd>
          </>
        )}
        <dt>Used</dt>
        <dd>{token.last_used_at === null ? "never" : <Ago time={token.last_used_at} />}</dd>
        <dt>Ends</dt>
        <dd>
          <Ago time={token.expires_at} />
        </dd>
        {token.previous_expires_at === null ? null : (
          <>
            <dt>Old secret ends</dt>
            <dd>
              <Ago time={token.previous_expires_at} />
            </dd>
          </>
        )}
      </dl>
      <ProblemBox problem={rotating.problem} doing="Rotating" />
      <div class="actions">
        {isSession ? null : (
          <Button onClick={rotate} isBusy={rotating.isRunning}>
            Rotate
          </Button>
        )}
        <Button onClick={() => setIsRevoking(true)}>{isSession ? "End" : "Revoke"}</Button>
      </div>
      {isRevoking ? (
        <Dialog
          title={isSession ? "End the session" : `Revoke ${token.name}`}
          onClose={() => setIsRevoking(false)}
        >
          <p>
            {isSession
              ? "Whoever is signed in with it has to sign in again."
              : "Every program that uses it is refused at once, for good."}
          </p>
          <ProblemBox problem={revoking.problem} doing="Revoking" />
          <footer>
            <Button onClick={() => setIsRevoking(false)}>Leave it</Button>
            <Button look="danger" onClick={revoke} isBusy={revoking.isRunning}>
              {isSession ? "End" : "Revoke"}
            </Button>
          </footer>
        </Dialog>
      ) : null}
    </article>
  );
}
