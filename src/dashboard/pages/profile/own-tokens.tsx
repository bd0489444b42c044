import { useState } from "preact/hooks";

import type { Token } from "#contract/endpoints/tokens/schemas.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { removeSession } from "#dashboard/data/session.ts";
import { profileApi, useOwnTokens } from "#dashboard/pages/profile/profile-resources.ts";
import { connectChoices } from "#dashboard/pages/connect/connect-scopes.ts";
import { CreateToken } from "#dashboard/pages/tokens/create-token.tsx";
import { sessionColumns, SessionRow } from "#dashboard/pages/profile/session-row.tsx";
import { tokenColumns, TokenRow } from "#dashboard/pages/tokens/token-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Table } from "#dashboard/shared/table.tsx";
import { goTo } from "#dashboard/router/navigation.ts";

/** The sessions and personal tokens of the person who is signed in. @param ownTokenId of this browser's session */
export function OwnTokens({ ownTokenId }: { readonly ownTokenId: string }) {
  const tokens = useOwnTokens(ALL);
  const { value: account } = useAccount(ALL);
  const [open, setOpen] = useState<"create" | "everywhere" | null>(null);
  const close = () => setOpen(null);
  const rowsOf = (kind: Token["kind"]) => (tokens.value?.tokens ?? []).filter((token) => token.kind === kind);
  return (
    <>
      <section>
        <div class="section-head">
          <h2>Sessions</h2>
          <Button onClick={() => setOpen("everywhere")}>Sign out everywhere</Button>
        </div>
        <Show of={tokens} what="your sessions">
          {() => (
            <Table label="Sessions" columns={sessionColumns}>
              {rowsOf("session").map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  isOwn={session.id === ownTokenId}
                  reload={tokens.reload}
                />
              ))}
            </Table>
          )}
        </Show>
      </section>
      <section>
        <div class="section-head">
          <h2>Personal tokens</h2>
          <Button onClick={() => setOpen("create")}>Create a personal token</Button>
        </div>
        <Show of={tokens} what="your tokens">
          {() =>
            rowsOf("token").length === 0 ? (
              <EmptyState title="No personal tokens">
                A personal token lets the gantry command or a script on your machine act as you. It never
                allows more than you may do yourself, and ends when you leave. For CI, use a service token or
                a trust rule.
              </EmptyState>
            ) : (
              <Table label="Personal tokens" columns={tokenColumns}>
                {rowsOf("token").map((token) => (
                  <TokenRow
                    key={token.id}
                    token={token}
                    isOwn={token.id === ownTokenId}
                    revoke={() => profileApi.revokeOwnToken({ params: { token_id: token.id } })}
                    onRevoked={tokens.reload}
                  />
                ))}
              </Table>
            )
          }
        </Show>
      </section>
      {open === "create" && account !== null ? (
        <CreateToken
          title="Create a personal token"
          placeholder="laptop"
          // As for a command that signs in.
          presets={connectChoices(account)}
          create={(body) => profileApi.createOwnToken({ body })}
          onCreated={() => void tokens.reload()}
          onClose={close}
        >
          <p>It acts as you, and never allows more than you may do yourself.</p>
        </CreateToken>
      ) : null}
      {open === "everywhere" ? (
        <RemovalDialog
          title="Sign out everywhere"
          words={{ button: "Sign out everywhere", doing: "Signing out" }}
          remove={() => profileApi.endOwnSessions()}
          onClose={close}
          onRemoved={() => {
            removeSession();
            goTo({ page: "sign_in" }, { replace: true });
          }}
        >
          <p>All your sessions end, also this one. Your personal tokens stay valid.</p>
        </RemovalDialog>
      ) : null}
    </>
  );
}
