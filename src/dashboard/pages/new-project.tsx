import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { ALL, useAllowed, useMay, useProjects, useServers } from "#dashboard/data/resources.ts";
import { Page } from "#dashboard/shared/page.tsx";
import { ProjectForm } from "#dashboard/shared/project-form.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { NotAllowed } from "#dashboard/shared/unavailable.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";
import { pathTo } from "#dashboard/router/route.ts";

export function NewProject() {
  const servers = useServers(ALL);
  const { reload } = useProjects(ALL);
  const mayAdd = useAllowed(projectChangeEndpoints.createProject);
  const mayAddServer = useMay("createServer");
  const go = goFromHere();
  if (!mayAdd)
    return (
      <Page title="Add a project">
        <NotAllowed what="adding projects" />
      </Page>
    );
  return (
    <Page title="Add a project">
      <Show of={servers} what="the servers">
        {({ servers: rows }) =>
          rows.length === 0 ? (
            <p>
              A project needs a server to deploy to.{" "}
              {mayAddServer ? (
                <>
                  <a href={pathTo({ page: "servers" })}>Add a server</a> first.
                </>
              ) : (
                "Ask an admin to add a server first."
              )}
            </p>
          ) : (
            <ProjectForm
              servers={rows}
              onCreated={({ id }) => {
                void reload();
                go({ page: "project", id });
              }}
            />
          )
        }
      </Show>
    </Page>
  );
}
