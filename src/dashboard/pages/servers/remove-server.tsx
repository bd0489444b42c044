import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useRemoval } from "#dashboard/data/use-removal.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly row: ServerRow;
  readonly onClose: () => void;
  readonly onRemoved: () => unknown;
};

/** Confirms and removes a server, or says why it cannot be removed. */
export function RemoveServer({ row, onClose, onRemoved }: Props) {
  const removing = useRemoval(() => api.deleteServer({ params: { server_id: row.id } }));
  const remove = async () => {
    if ((await removing.run()) === null) return;
    onClose();
    await onRemoved();
  };
  return (
    <Dialog title={`Remove ${row.name}`} onClose={onClose}>
      <p>
        This removes the server from Gantry, and its agent can no longer connect. Nothing changes on the
        server itself: its sites stay online.
      </p>
      {row.apps > 0 ? <p class="problem">The server has projects. Move or delete them first.</p> : null}
      <ProblemBox problem={removing.problem} doing="Removing" />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" onClick={remove} isBusy={removing.isRunning} isDisabled={row.apps > 0}>
          Remove
        </Button>
      </footer>
    </Dialog>
  );
}
