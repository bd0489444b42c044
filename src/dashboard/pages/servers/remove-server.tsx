import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";

type Props = {
  readonly row: ServerRow;
  readonly onClose: () => void;
  readonly onRemoved: () => unknown;
};

/** Confirms and removes a server, or says why it cannot be removed. */
export function RemoveServer({ row, onClose, onRemoved }: Props) {
  return (
    <RemovalDialog
      title={`Remove ${row.name}`}
      words={{ button: "Remove", doing: "Removing" }}
      remove={() => api.deleteServer({ params: { server_id: row.id } })}
      onClose={onClose}
      onRemoved={onRemoved}
      isDisabled={row.apps > 0}
    >
      <p>
        This removes the server from Gantry, and its agent can no longer connect. Nothing changes on the
        server itself: its sites stay online.
      </p>
      {row.apps > 0 ? <p class="problem">The server has projects. Move or delete them first.</p> : null}
    </RemovalDialog>
  );
}
