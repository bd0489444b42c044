import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { ALL, useAccount, useMay, useTokens } from "#dashboard/data/resources.ts";
import { replaceToken } from "#dashboard/data/session.ts";
import { CreateToken } from "#dashboard/pages/tokens/create-token.tsx";
import { TokenCard } from "#dashboard/pages/tokens/token-card.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { SecretDialog } from "#dashboard/shared/secret-dialog.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** API tokens and dashboard sessions. A secret is shown once, when it is created or rotated. */
export function Tokens() {
  const tokens = useTokens(ALL);
  const { value: account } = useAccount(ALL);
  const mayCreate = useMay("createToken");
  const [isCreating, setIsCreating] = useState(false);
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState<TokenWithSecret | null>(null);
  const show = (token: TokenWithSecret) => {
    setIsCreating(false);
    setShown(token);
    void tokens.reload();
  };
  const list = (kind: Token["kind"], rows: readonly Token[]) =>
    rows
      .filter((token) => token.kind === kind && matches(token.name, query))
      .map((token) => (
        <li key={token.id}>
          <TokenCard
            token={token}
            isOwn={token.id === account?.token.id}
            onRotated={(rotated) => {
              // This browser uses the new secret, because the old one expires in a day.
              if (rotated.id === account?.token.id) replaceToken(rotated.token);
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
        mayCreate ? (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            Create a token
          </Button>
        ) : null
      }
    >
      <Show of={tokens} what="the tokens">
        {({ tokens: rows }) => (
          <>
            <Find what="token" count={rows.length} query={query} onInput={setQuery} />
            <h2>API tokens</h2>
            <ul class="cards">{list("token", rows)}</ul>
            {rows.some(({ kind }) => kind === "session") ? (
              <>
                <h2>Dashboard sessions</h2>
                <ul class="cards">{list("session", rows)}</ul>
              </>
            ) : null}
          </>
        )}
      </Show>
      {isCreating ? <CreateToken onCreated={show} onClose={() => setIsCreating(false)} /> : null}
      {shown === null ? null : (
        <SecretDialog title={shown.name} secret={shown.token} what="token" onClose={() => setShown(null)} />
      )}
    </Page>
  );
}
