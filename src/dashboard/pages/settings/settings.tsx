import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { DeleteProject } from "#dashboard/pages/settings/delete-project.tsx";
import { SettingsForm } from "#dashboard/pages/settings/settings-form.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** A project's settings, and a form to delete it. */
export function Settings({ id }: { readonly id: ProjectId }) {
  const project = useProject(id);
  const name = project.value?.name ?? "project";
  return (
    <Page
      title={`${name} settings`}
      heading={
        <>
          <a href={pathTo({ page: "project", id })}>{name}</a> Settings
        </>
      }
    >
      <Show of={project} what="the project">
        {(value) => (
          <>
            <SettingsForm project={value} onSaved={project.reload} />
            <h2>Delete the project</h2>
            <DeleteProject project={value} />
          </>
        )}
      </Show>
    </Page>
  );
}
