import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { ALL, useAccount, useMay, useTokens } from "#dashboard/data/resources.ts";
import { goOnWith } from "#dashboard/data/session.ts";
import { CreateToken } from "#dashboard/pages/tokens/create-token.tsx";
import { TokenCard } from "#dashboard/pages/tokens/token-card.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Find, isLike } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** API tokens, and who is signed in: made, rotated and revoked here, each secret shown once. */
export function Tokens() {
  const tokens = useTokens(ALL);
  const { value: account } = useAccount(ALL);
  const mayMake = useMay("createToken");
  const [isMaking, setIsMaking] = useState(false);
  const [sought, setSought] = useState("");
  const [shown, setShown] = useState<TokenWithSecret | null>(null);
  const show = (token: TokenWithSecret) => {
    setIsMaking(false);
    setShown(token);
    void tokens.reload();
  };
  const list = (kind: Token["kind"], rows: readonly Token[]) =>
    rows
      .filter((token) => token.kind === kind && isLike(token.name, sought))
      .map((token) => (
        <li key={token.id}>
          <TokenCard
            token={token}
            isOwn={token.id === account?.token.id}
            onRotated={(rotated) => {
              // The tab goes on with the new secret: the old one ends in a day.
              if (rotated.id === account?.token.id) goOnWith(rotated.token);
              show(rotated);
            }}
            onRevoked={tokens.reload}
          />
        </li>
      ));
  return (
    <Page
      title="Tokens"
      actions={
        mayMake ? (
          <Button look="main" onClick={() => setIsMaking(true)}>
            Make a token
          </Button>
        ) : null
      }
    >
      <Show of={tokens} what="the tokens">
        {({ tokens: rows }) => (
          <>
            <Find what="token" count={rows.length} sought={sought} onInput={setSought} />
            <h2>For programs</h2>
            <ul class="cards">{list("token", rows)}</ul>
            {rows.some(({ kind }) => kind === "session") ? (
              <>
                <h2>Signed in to the dashboard</h2>
                <ul class="cards">{list("session", rows)}</ul>
              </>
            ) : null}
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
