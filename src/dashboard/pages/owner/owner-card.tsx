import { useState } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { CreateOwner } from "#dashboard/pages/owner/create-owner.tsx";
import { Button } from "#dashboard/shared/button.tsx";

/** In localStorage: the account whose owner the person creates later. */
const LATER_KEY = "gantry.no-owner";

type Props = {
  readonly account: Pick<Account, "id">;
  /** Whether the card can be hidden in this browser. */
  readonly canSkip?: boolean;
};

/** Offers to create the owner of an account that has none. */
export function OwnerCard({ account, canSkip = false }: Props) {
  const [isSkipped, setIsSkipped] = useState(() => localStorage.getItem(LATER_KEY) === account.id);
  const [isOpen, setIsOpen] = useState(false);
  if (canSkip && isSkipped) return null;
  return (
    <section class="owner-card" aria-labelledby="owner-card">
      <div>
        <h2 id="owner-card">This account has no owner yet</h2>
        <p>
          Create the owner to sign in with a passkey instead of a link, to invite others, and to see in the
          audit log who did what.
        </p>
      </div>
      <div class="actions">
        {canSkip ? (
          <Button
            variant="subtle"
            onClick={() => {
              localStorage.setItem(LATER_KEY, account.id);
              setIsSkipped(true);
            }}
          >
            Later
          </Button>
        ) : null}
        <Button variant={canSkip ? "plain" : "primary"} onClick={() => setIsOpen(true)}>
          Create the owner
        </Button>
      </div>
      {isOpen ? <CreateOwner onClose={() => setIsOpen(false)} /> : null}
    </section>
  );
}
