import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentRow } from "#dashboard/shared/deployment-row.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** The latest deployments of all projects, for a token without access to projects. */
export function LatestDeployments({ deployments }: { readonly deployments: readonly Deployment[] }) {
  if (deployments.length === 0) return <p class="quiet">No deployments yet.</p>;
  const projects = [...new Set(deployments.map(({ project_id: id }) => id))];
  return (
    <>
      {projects.map((id) => (
        <section key={id}>
          <h2>
            <a href={pathTo({ page: "project", id })}>
              <code>{id}</code>
            </a>
          </h2>
          <ul class="rows">
            {deployments
              .filter(({ project_id: project }) => project === id)
              .slice(0, 5)
              .map((deployment) => (
                <li key={deployment.id}>
                  <DeploymentRow deployment={deployment} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}
