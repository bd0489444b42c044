import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { DeleteProject } from "#dashboard/pages/settings/delete-project.tsx";
import { SettingsForm } from "#dashboard/pages/settings/settings-form.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** A project's settings, and a form to delete it. */
export function Settings({ id }: { readonly id: ProjectId }) {
  const project = useProject(id);
  return (
    <ProjectFrame id={id} section="settings" title="Settings">
      <Show of={project} what="the project">
        {(value) => (
          <>
            <SettingsForm project={value} onSaved={project.reload} />
            <h2>Delete the project</h2>
            <DeleteProject project={value} />
          </>
        )}
      </Show>
    </ProjectFrame>
  );
}
