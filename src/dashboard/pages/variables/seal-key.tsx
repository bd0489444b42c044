import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import { Fingerprint } from "#dashboard/shared/fingerprint.tsx";

/** The key that secrets are sealed for. */
export function SealKey({ of: key }: { readonly of: Variables["seal_key"] }) {
  return (
    <dl class="facts">
      <dt>Seal key of the server</dt>
      <dd>
        {key === null ? (
          <span class="quiet">
            none yet. Secrets can be saved after an agent that supports them has connected.
          </span>
        ) : (
          <Fingerprint of={key} />
        )}
      </dd>
    </dl>
  );
}
