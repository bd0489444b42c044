import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useAccount, useMay, useTokens } from "#dashboard/data/resources.ts";
import { replaceToken } from "#dashboard/data/session.ts";
import { CreateToken } from "#dashboard/pages/tokens/create-token.tsx";
import { tokenColumns, TokenRow } from "#dashboard/pages/tokens/token-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { SecretDialog } from "#dashboard/shared/secret-dialog.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Table } from "#dashboard/shared/table.tsx";
import { TokenSections } from "#dashboard/shared/token-sections.tsx";

/** API tokens and dashboard sessions. A secret is shown once, when it is created or rotated. */
export function Tokens() {
  const tokens = useTokens(ALL);
  const { value: account } = useAccount(ALL);
  const mayCreate = useMay("createToken");
  const mayRevoke = useMay("revokeToken");
  const [isCreating, setIsCreating] = useState(false);
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState<TokenWithSecret | null>(null);
  const show = (token: TokenWithSecret) => {
    setShown(token);
    void tokens.reload();
  };
  const table = (label: string, rows: readonly Token[]) => (
    <Table label={label} columns={tokenColumns}>
      {rows
        .filter((token) => matches(token.name, query))
        .map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            isOwn={token.id === account?.token.id}
            showsMember
            // A personal token is only its person's to use, so others only revoke it.
            {...(token.member === null && {
              rotate: () => api.rotateToken({ params: { token_id: token.id } }),
            })}
            onRotated={(rotated) => {
              // This browser uses the new secret, because the old one expires in a day.
              if (rotated.id === account?.token.id) replaceToken(rotated.token);
              show(rotated);
            }}
            revoke={mayRevoke ? () => api.revokeToken({ params: { token_id: token.id } }) : null}
            onRevoked={tokens.reload}
          />
        ))}
    </Table>
  );
  return (
    <Page
      title="Tokens"
      sections={<TokenSections page="tokens" />}
      actions={
        mayCreate ? (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            Create a token
          </Button>
        ) : null
      }
    >
      <Show of={tokens} what="the tokens">
        {({ tokens: rows }) => {
          const own = rows.filter(({ kind }) => kind === "token");
          const sessions = rows.filter(({ kind }) => kind === "session");
          return (
            <>
              <Find what="token" count={rows.length} query={query} onInput={setQuery} />
              <h2>API tokens</h2>
              {own.length === 0 ? (
                <EmptyState title="No API tokens">
                  A token lets a CI job or a script call the API, for chosen projects and with chosen
                  permissions.
                </EmptyState>
              ) : (
                table("API tokens", own)
              )}
              {sessions.length === 0 ? null : (
                <>
                  <h2>Dashboard sessions</h2>
                  {table("Dashboard sessions", sessions)}
                </>
              )}
            </>
          );
        }}
      </Show>
      {isCreating ? (
        <CreateToken
          create={(body) => api.createToken({ body })}
          onCreated={() => void tokens.reload()}
          onClose={() => setIsCreating(false)}
        />
      ) : null}
      {shown === null ? null : (
        <SecretDialog title={shown.name} secret={shown.token} what="token" onClose={() => setShown(null)} />
      )}
    </Page>
  );
}
