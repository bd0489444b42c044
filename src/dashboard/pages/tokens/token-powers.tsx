import { powerList } from "#contract/powers/scope-words.ts";
import type { Scope } from "#contract/scopes.ts";

/** What the chosen permissions let anyone with the token do, beyond reading settings. */
export function TokenPowers({ scopes }: { readonly scopes: readonly Scope[] }) {
  const powers = powerList(scopes);
  return (
    <div role="status">
      {powers.length === 0 ? null : (
        <div class="notice">
          Anyone who has the token can:
          <ul class="powers">
            {powers.map((power) => (
              <li key={power}>{power}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
