import { isOverSsh } from "#contract/forge.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { otherBuilder } from "#contract/endpoints/projects/other-builder.ts";
import { REPOSITORY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { useAllowed, useProject } from "#dashboard/data/resources.ts";
import { DeployKeysView } from "#dashboard/pages/repository/deploy-keys.tsx";
import { DeployKeyView } from "#dashboard/pages/repository/deploy-key.tsx";
import { RepositoryTester } from "#dashboard/pages/repository/repository-tester.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { SettingsFrame } from "#dashboard/pages/settings/settings-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Branch } from "#dashboard/shared/status.tsx";

/** How a project's server reads its repository: the deploy key with the steps to add it, and a test. */
export function RepositoryPage({ id }: { readonly id: ProjectId }) {
  const project = useProject(id);
  const mayTest = useAllowed(projectChangeEndpoints.testRepository, id);
  return (
    <SettingsFrame id={id} page="repository" title="Repository access">
      <Show of={project} what="the project">
        {(value) => (
          <>
            <Source project={value} />
            {mayTest ? <RepositoryTester id={id} /> : null}
            {value.servers_state.length > 0 && isOverSsh(value.repository) && otherBuilder(value) === null ? (
              <>
                <h2>Deploy keys</h2>
                <DeployKeysView project={value} />
              </>
            ) : (
              <>
                <h2>Deploy key</h2>
                <DeployKeyView id={id} />
              </>
            )}
          </>
        )}
      </Show>
    </SettingsFrame>
  );
}

function Source({ project }: { readonly project: Project }) {
  return (
    <>
      <p>
        {project.servers_state.length > 0 ? "The servers read" : "The server reads"}{" "}
        <Branch name={project.branch} /> of <code>{withHiddenShown(project.repository)}</code>.
      </p>
      {isOverSsh(project.repository) ? null : (
        <p class="notice">
          The deploy key is not used with this address. If the repository is private, use its ssh address,
          such as <code>git@github.com:acme/shop.git</code>, in the{" "}
          <a href={pathTo({ page: "settings_build", id: project.id })}>settings</a>, or set the secret{" "}
          <code>{REPOSITORY_TOKEN}</code> among the{" "}
          <a href={pathTo({ page: "variables", id: project.id })}>variables</a>.
        </p>
      )}
    </>
  );
}
