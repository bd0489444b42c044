import { useState } from "preact/hooks";

import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { ConnectionCard } from "#dashboard/pages/sign-in-settings/connection-card.tsx";
import { ConnectionForm } from "#dashboard/pages/sign-in-settings/connection-form.tsx";
import { useConnectionSettings } from "#dashboard/pages/sign-in-settings/connection-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { MemberSections } from "#dashboard/shared/member-sections.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The connections of the account, which owners change. */
export function SignInSettings() {
  const connections = useConnectionSettings(ALL);
  const { value: account } = useAccount(ALL);
  const mayChange = account?.member?.is_owner === true;
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Page
      title="Sign-in settings"
      actions={
        mayChange ? (
          <Button variant="primary" onClick={() => setIsAdding(true)}>
            Add single sign-on
          </Button>
        ) : null
      }
    >
      <MemberSections page="sign_in_settings" />
      <Show of={connections} what="the sign-in settings">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No single sign-on yet">
              Members sign in with passkeys. {mayChange ? "Add" : "An owner can add"} a provider, such as
              Okta, Entra, Google, Keycloak or GitHub, so that they can sign in by it too.
            </EmptyState>
          ) : (
            rows.map((connection) => (
              <ConnectionCard
                key={connection.id}
                connection={connection}
                mayChange={mayChange}
                reload={connections.reload}
              />
            ))
          )
        }
      </Show>
      {isAdding ? (
        <ConnectionForm
          connection={null}
          onClose={() => setIsAdding(false)}
          onSaved={() => {
            setIsAdding(false);
            void connections.reload();
          }}
        />
      ) : null}
    </Page>
  );
}
