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

/** Asks whether a server is to be forgotten, and does it; or says why it cannot be. */
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
        Gantry forgets the server, and its agent is let in no more. Nothing on the server is changed: what it
        serves goes on.
      </p>
      {row.apps > 0 ? <p class="problem">Projects are on it. Move or delete them first.</p> : null}
      <ProblemBox problem={removing.problem} doing="Removing" />
      <footer>
        <Button onClick={onClose}>Leave it</Button>
        <Button look="danger" onClick={remove} isBusy={removing.isRunning} isDisabled={row.apps > 0}>
          Remove
        </Button>
      </footer>
    </Dialog>
  );
}
