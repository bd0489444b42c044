import { Fragment } from "preact";
import { useEffect } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { DeployKey } from "#contract/endpoints/projects/repository-access.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { useDeployKey, useProject } from "#dashboard/data/resources.ts";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The public deploy keys of all servers of a project that has several, and the steps to add them to the repository. */
export function DeployKeysView({ project }: { readonly project: Project }) {
  const key = useDeployKey(project.id);
  const { reload } = useProject(project.id);
  // The read of the first server's key makes the other servers create theirs.
  useEffect(() => {
    if (key.value !== null) void reload();
  }, [key.value]);
  return (
    <Show of={key} what="the deploy keys">
      {(first) => {
        const keys = keysOf(project, first);
        const missing = keys.filter((one) => one.key === null);
        return (
          <>
            <p>
              Each server has a key of its own. Add all of them to the repository, with read access only. The
              private keys stay on the servers.
            </p>
            <Copyable
              text={keys.flatMap((one) => one.key?.public_key ?? []).join("\n")}
              label="Public keys"
            />
            {missing.length === 0 ? null : (
              <p class="notice">
                {missing.map(({ name }) => name).join(", ")} {missing.length === 1 ? "has" : "have"} no key
                yet. A connected server creates its key when this page is opened.
              </p>
            )}
            <dl class="facts">
              {keys.map(({ id, name, key: known }) =>
                known === null ? null : (
                  <Fragment key={id}>
                    <dt>{name}</dt>
                    <dd>
                      <code>{known.fingerprint}</code>
                    </dd>
                  </Fragment>
                ),
              )}
            </dl>
            <ol class="steps-of">
              {first.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            {first.settings_url === null ? null : (
              <p>
                <a href={first.settings_url}>Open this page of the repository</a>
              </p>
            )}
          </>
        );
      }}
    </Show>
  );
}

/** The key of each server; null: not known yet. A project that had one server has its key before its state has it. */
function keysOf({ server_id: firstId, servers_state: servers }: Project, first: DeployKey) {
  return servers.map(({ id, name, deploy_key: key }) => ({
    id,
    name: withHiddenShown(name),
    key: key ?? (id === firstId ? first : null),
  }));
}
