import { useState } from "preact/hooks";

import type { Passkey } from "#contract/endpoints/profile/schemas.ts";
import { obstacleHere } from "#dashboard/data/passkeys.ts";
import { AddPasskey } from "#dashboard/pages/profile/add-passkey.tsx";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { RenamePasskey } from "#dashboard/pages/profile/rename-passkey.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Menu } from "#dashboard/shared/menu.tsx";
import { PasskeyNotice } from "#dashboard/shared/passkey-notice.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

const columns = {
  name: { title: "Name" },
  host: { title: "Works at" },
  stored: { title: "Stored" },
  added: { title: "Added" },
  used: { title: "Last used" },
  actions: { title: "Actions", isActions: true },
} as const;

type Props = {
  readonly passkeys: readonly Passkey[];
  readonly reload: () => Promise<void>;
  readonly onAdded: () => void;
  /** The session is of a recovery code, and can only add a passkey. */
  readonly isRecovered: boolean;
  /** Adding a passkey is the next step. */
  readonly mustAdd: boolean;
};

/** The passkeys of the person who is signed in. */
export function Passkeys({ passkeys, reload, onAdded, isRecovered, mustAdd }: Props) {
  const [isAdding, setIsAdding] = useState(false);
  const obstacle = obstacleHere();
  const [first, ...others] = passkeys;
  const isOnly = first !== undefined && others.length === 0 && !isRecovered;
  return (
    <section>
      <div class="section-head">
        <h2>Passkeys</h2>
        {obstacle === null ? (
          <Button variant={mustAdd ? "primary" : "plain"} onClick={() => setIsAdding(true)}>
            Add a passkey
          </Button>
        ) : null}
      </div>
      {obstacle === null ? null : <PasskeyNotice obstacle={obstacle} />}
      {isOnly ? (
        <p class="quiet">
          You have one passkey. Add another one, on another device or in a password manager, so that you can
          still sign in if you lose it.
        </p>
      ) : null}
      <Table label="Passkeys" columns={columns}>
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} canChange={!isRecovered} reload={reload} />
        ))}
      </Table>
      {isAdding ? (
        <AddPasskey
          onClose={() => setIsAdding(false)}
          onAdded={() => {
            setIsAdding(false);
            onAdded();
            void reload();
          }}
        />
      ) : null}
    </section>
  );
}

type RowProps = {
  readonly passkey: Passkey;
  readonly canChange: boolean;
  readonly reload: () => Promise<void>;
};

function PasskeyRow({ passkey, canChange, reload }: RowProps) {
  const { id, name, rp_id: host } = passkey;
  const [open, setOpen] = useState<"rename" | "remove" | null>(null);
  const close = () => setOpen(null);
  const cells = {
    name,
    host: (
      <>
        {host} {host === location.hostname ? null : <span class="tag">not at this address</span>}
      </>
    ),
    stored: passkey.is_synced ? "synced" : "on one device",
    added: <Ago time={passkey.created_at} />,
    used: passkey.last_used_at === null ? "never" : <Ago time={passkey.last_used_at} />,
    actions: canChange ? (
      <>
        <Menu
          label={`Actions for ${name}`}
          items={[
            { label: "Rename", onSelect: () => setOpen("rename") },
            { label: "Remove", onSelect: () => setOpen("remove"), isDanger: true },
          ]}
        />
        {open === "rename" ? (
          <RenamePasskey
            passkey={passkey}
            onClose={close}
            onRenamed={() => {
              close();
              void reload();
            }}
          />
        ) : null}
        {open === "remove" ? (
          <RemovalDialog
            title={`Remove ${name}`}
            words={{ button: "Remove", doing: "Removing the passkey" }}
            remove={() => profileApi.removePasskey({ params: { passkey_id: id } })}
            onClose={close}
            onRemoved={reload}
          >
            <p>
              It no longer signs in. Delete it in the device or the password manager too: browsers offer it
              until then.
            </p>
          </RemovalDialog>
        ) : null}
      </>
    ) : null,
  };
  return <TableRow columns={columns} cells={cells} />;
}
