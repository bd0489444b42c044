import { useState } from "preact/hooks";

import type { DrainSet } from "#contract/endpoints/servers/drain.ts";
import type { Enrollment, Server, ServerRow } from "#contract/endpoints/servers/schemas.ts";
import type { Action } from "#dashboard/data/use-action.ts";
import { ChangeServer } from "#dashboard/pages/servers/change-server.tsx";
import { RemoveServer } from "#dashboard/pages/servers/remove-server.tsx";
import { usualPolicy } from "#contract/install-flags.ts";
import { WaitForAgent } from "#dashboard/shared/add-server.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Menu, type MenuItem } from "#dashboard/shared/menu.tsx";

type Props = {
  readonly row: ServerRow;
  /** null: not loaded yet. */
  readonly server: Server | null;
  /** Creates an install command. The row shows why it failed. */
  readonly enrolling: Action<Enrollment, []>;
  /** Drains the server, or with false ends that. The row shows why it failed. */
  readonly draining: Action<DrainSet, [boolean]>;
  readonly onChanged: () => unknown;
  /** Called when the server is removed. */
  readonly onRemoved: () => unknown;
};

/** The menu of a server's row, and the dialogs that it opens. */
export function ServerActions({ row, server, enrolling, draining, onChanged, onRemoved }: Props) {
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const enroll = async () => {
    const made = await enrolling.run();
    if (made === null) return;
    setEnrollment(made.value);
    void onChanged();
  };
  const drain = async (isDraining: boolean) => {
    await draining.run(isDraining);
    void onChanged();
  };
  const close = () => setOpen(null);
  const items: readonly MenuItem[] = [
    { label: row.status === "pending" ? "Show install command" : "Enroll again", onSelect: enroll },
    { label: "Edit", onSelect: () => setOpen("change") },
    ...drainItems(server, drain),
    { label: "Remove", onSelect: () => setOpen("remove"), isDanger: true },
  ];
  return (
    <>
      <Menu
        label={`Actions for ${row.name}`}
        items={items}
        isBusy={enrolling.isRunning || draining.isRunning}
      />
      {enrollment === null ? null : (
        <Dialog title={`Enroll ${row.name}`} onClose={() => setEnrollment(null)}>
          {row.status === "pending" ? null : <p>The current agent stops when the new one connects.</p>}
          <WaitForAgent
            id={row.id}
            enrollment={enrollment}
            usual={usualPolicy(server)}
            onConnected={onChanged}
            onClose={() => setEnrollment(null)}
          />
        </Dialog>
      )}
      {open === "change" ? (
        <ChangeServer row={row} server={server} onClose={close} onChanged={onChanged} />
      ) : null}
      {open === "remove" ? <RemoveServer row={row} onClose={close} onRemoved={onRemoved} /> : null}
    </>
  );
}

/** A server that no agent has connected to has no ready URL. */
function drainItems(server: Server | null, drain: (isDraining: boolean) => unknown): readonly MenuItem[] {
  if (server === null || server.status === "pending") return [];
  return server.draining_since === null
    ? [{ label: "Drain", onSelect: () => drain(true) }]
    : [{ label: "End draining", onSelect: () => drain(false) }];
}
