import { Fragment } from "preact";

import { serversOf, type Variables } from "#contract/endpoints/variables/schemas.ts";
import { Fingerprint } from "#dashboard/shared/fingerprint.tsx";

/** The keys that secrets are sealed for. */
export function SealKeys({ of: variables }: { readonly of: Variables }) {
  const servers = serversOf(variables);
  return (
    <dl class="facts">
      {servers.map(({ server_id: id, seal_key: key }) => (
        <Fragment key={id}>
          <dt>{servers.length === 1 ? "Seal key of the server" : `Seal key of ${id}`}</dt>
          <dd>
            {key === null ? (
              <span class="quiet">
                none yet. Secrets can be saved after an agent that supports them has connected.
              </span>
            ) : (
              <Fingerprint of={key} />
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
