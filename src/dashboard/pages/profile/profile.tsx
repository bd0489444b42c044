import { useState } from "preact/hooks";

import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { isRecovered } from "#dashboard/data/use-is-member-session.ts";
import { useMayCreateOwner } from "#dashboard/data/use-may-create-owner.ts";
import { OwnerCard } from "#dashboard/pages/owner/owner-card.tsx";
import { Identities } from "#dashboard/pages/profile/identities.tsx";
import { OwnTokens } from "#dashboard/pages/profile/own-tokens.tsx";
import { Passkeys } from "#dashboard/pages/profile/passkeys.tsx";
import { PersonForm } from "#dashboard/pages/profile/person-form.tsx";
import { useProfile } from "#dashboard/pages/profile/profile-resources.ts";
import { Recovered } from "#dashboard/pages/profile/recovered.tsx";
import { RecoveryCodes } from "#dashboard/pages/profile/recovery-codes.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The person who is signed in, or what a session is that is nobody's. */
export function ProfilePage() {
  const account = useAccount(ALL);
  return (
    <Page title="Profile">
      <Show of={account} what="the account">
        {({ member, token }) => {
          if (member === null) return <Nobody />;
          return <Person isRecovered={isRecovered({ token })} ownTokenId={token.id} />;
        }}
      </Show>
    </Page>
  );
}

/** Says what a session or token without a person is. */
function Nobody() {
  const { value: account } = useAccount(ALL);
  const mayCreateOwner = useMayCreateOwner(account);
  if (account === null) return null;
  return (
    <>
      {mayCreateOwner ? <OwnerCard account={account} /> : null}
      <p class="notice">
        {mayCreateOwner || !account.has_owner
          ? "You are signed in without a name: this account has no members yet."
          : "You are signed in without a name. Sign out, and sign in with your passkey to see your profile."}{" "}
        A profile has your name, your passkeys, your sessions and your personal tokens.
      </p>
    </>
  );
}

type PersonProps = { readonly isRecovered: boolean; readonly ownTokenId: string };

function Person({ isRecovered: hasOnlyPasskeys, ownTokenId }: PersonProps) {
  const profile = useProfile(ALL);
  const [hasAdded, setHasAdded] = useState(false);
  return (
    <Show of={profile} what="your profile">
      {(value) => (
        <>
          {hasOnlyPasskeys ? <Recovered hasAdded={hasAdded} /> : null}
          {hasOnlyPasskeys ? null : (
            <PersonForm key={value.member.id} member={value.member} onSaved={profile.reload} />
          )}
          <Passkeys
            passkeys={value.passkeys}
            reload={profile.reload}
            onAdded={() => setHasAdded(true)}
            isRecovered={hasOnlyPasskeys}
            mustAdd={hasOnlyPasskeys && !hasAdded}
          />
          {hasOnlyPasskeys ? null : (
            <>
              <Identities
                identities={value.identities}
                connections={value.connections}
                reload={profile.reload}
              />
              <RecoveryCodes left={value.recovery_codes} reload={profile.reload} />
              <OwnTokens ownTokenId={ownTokenId} />
            </>
          )}
        </>
      )}
    </Show>
  );
}
