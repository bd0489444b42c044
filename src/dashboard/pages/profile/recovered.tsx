import { PasskeySignIn } from "#dashboard/shared/passkey-sign-in.tsx";
import { goTo } from "#dashboard/router/navigation.ts";

/** What a person does who has signed in with a recovery code. @param hasAdded whether they have added a passkey since */
export function Recovered({ hasAdded }: { readonly hasAdded: boolean }) {
  return (
    <section class="owner-card" aria-labelledby="recovered">
      <div>
        <h2 id="recovered">You are signed in with a recovery code</h2>
        <p>
          {hasAdded
            ? "Your passkey is added. Sign in with it, and remove the passkeys that you have lost."
            : "It lasts 15 minutes, and can only add a passkey. After that, sign in with the new passkey."}
        </p>
      </div>
      {hasAdded ? (
        <div class="actions">
          <PasskeySignIn onSignedIn={() => goTo({ page: "profile" })} />
        </div>
      ) : null}
    </section>
  );
}
