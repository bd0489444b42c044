import type { ClientResult } from "#client/send.ts";
import { api } from "#dashboard/data/api.ts";
import { signWithPasskey } from "#dashboard/data/passkeys.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

async function confirm(): Promise<ClientResult<unknown>> {
  const challenge = await api.createChallenge({ body: { act: "confirm" } });
  if (!challenge.ok) return challenge;
  const passkey = await signWithPasskey(challenge.value);
  return passkey.ok ? await api.confirmSession({ body: { passkey: passkey.value } }) : passkey;
}

/** Asks the person to confirm an action with a passkey. @param onEnd called once, with whether they did */
export function ConfirmDialog({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
  const confirming = useAction(confirm);
  const cancel = () => onEnd(false);
  const start = async () => {
    if ((await confirming.run()) !== null) onEnd(true);
  };
  return (
    <Dialog title="Confirm with your passkey" onClose={cancel}>
      <p>This change needs proof that it is you. It then counts for 10 minutes.</p>
      <ProblemBox problem={confirming.problem} doing="Confirming" />
      <footer>
        <Button onClick={cancel}>Cancel</Button>
        <Button variant="primary" onClick={start} isBusy={confirming.isRunning}>
          Use a passkey
        </Button>
      </footer>
    </Dialog>
  );
}
