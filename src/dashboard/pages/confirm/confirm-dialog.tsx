import type { ClientResult } from "#client/send.ts";
import { api } from "#dashboard/data/api.ts";
import { signWithPasskey } from "#dashboard/data/passkeys.ts";
import { ALL } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useProfile } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProviderButtons } from "#dashboard/shared/provider-buttons.tsx";
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
  const { value: profile } = useProfile(ALL);
  const connections = (profile?.identities ?? []).map(({ connection }) => ({
    ...connection,
    kind: "oidc" as const,
  }));
  return (
    <Dialog title="Confirm that it is you" onClose={cancel}>
      <p>This change needs proof that it is you. It then counts for 10 minutes.</p>
      {connections.length === 0 ? null : (
        <>
          <p>If you sign in by your provider, come back here and repeat the change.</p>
          <ProviderButtons connections={connections} act="confirm" verb="Sign in with" />
        </>
      )}
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
