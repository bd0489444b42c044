import { useState } from "preact/hooks";

import type { OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import type { Identity } from "#contract/endpoints/profile/schemas.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProviderButtons } from "#dashboard/shared/provider-buttons.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

const columns = {
  provider: { title: "Provider" },
  name: { title: "Signs in as" },
  added: { title: "Added" },
  used: { title: "Last used" },
  actions: { title: "Actions", isActions: true },
} as const;

type Props = {
  readonly identities: readonly Identity[];
  readonly connections: readonly OfferedConnection[];
  readonly reload: () => Promise<void>;
};

/** The providers by which the person can sign in; nothing if the account has none. */
export function Identities({ identities, connections, reload }: Props) {
  if (connections.length === 0 && identities.length === 0) return null;
  return (
    <section>
      <h2>Single sign-on</h2>
      <Table label="Identities" columns={columns}>
        {identities.map((identity) => (
          <IdentityRow key={identity.id} identity={identity} reload={reload} />
        ))}
      </Table>
      <ProviderButtons connections={connections} act="add_identity" verb="Add" />
    </section>
  );
}

function IdentityRow({
  identity,
  reload,
}: {
  readonly identity: Identity;
  readonly reload: () => Promise<void>;
}) {
  const { id, connection, subject, name } = identity;
  const [isRemoving, setIsRemoving] = useState(false);
  const cells = {
    provider: connection.name,
    name: name ?? subject,
    added: <Ago time={identity.created_at} />,
    used: identity.last_used_at === null ? "never" : <Ago time={identity.last_used_at} />,
    actions: (
      <>
        <Button variant="subtle" label={`Remove ${connection.name}`} onClick={() => setIsRemoving(true)}>
          Remove
        </Button>
        {isRemoving ? (
          <RemovalDialog
            title={`Remove ${connection.name}`}
            words={{ button: "Remove", doing: "Removing the identity" }}
            remove={() => profileApi.removeIdentity({ params: { identity_id: id } })}
            onClose={() => setIsRemoving(false)}
            onRemoved={reload}
          >
            <p>You can no longer sign in by it. Sessions that it gave stay until they end.</p>
          </RemovalDialog>
        ) : null}
      </>
    ),
  };
  return <TableRow columns={columns} cells={cells} />;
}
