import type { ProjectId } from "#contract/ids.ts";
import { useDeployKey } from "#dashboard/data/resources.ts";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The public deploy key of a project, and the steps to add it to the repository. */
export function DeployKeyView({ id }: { readonly id: ProjectId }) {
  const key = useDeployKey(id);
  return (
    <Show of={key} what="the deploy key">
      {({ public_key, fingerprint, settings_url, steps }) => (
        <>
          <p>
            Add this public key to the repository, with read access only. The private key stays on the server.
          </p>
          <Copyable text={public_key} label="Public key" />
          <p class="quiet">
            Fingerprint <code>{fingerprint}</code>
          </p>
          <ol class="steps-of">
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {settings_url === null ? null : (
            <p>
              <a href={settings_url}>Open this page of the repository</a>
            </p>
          )}
        </>
      )}
    </Show>
  );
}
