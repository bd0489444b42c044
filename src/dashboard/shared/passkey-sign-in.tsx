import { obstacleHere } from "#dashboard/data/passkeys.ts";
import { signInWithPasskey } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { PasskeyNotice } from "#dashboard/shared/passkey-notice.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** A button that signs in with a passkey, or why there is none. */
export function PasskeySignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const signingIn = useAction(signInWithPasskey);
  const obstacle = obstacleHere();
  if (obstacle !== null) return <PasskeyNotice obstacle={obstacle} />;
  const signIn = async () => {
    if ((await signingIn.run()) !== null) onSignedIn();
  };
  return (
    <>
      <ProblemBox problem={signingIn.problem} doing="Signing in" />
      <Button variant="primary" onClick={signIn} isBusy={signingIn.isRunning}>
        Sign in with a passkey
      </Button>
    </>
  );
}
