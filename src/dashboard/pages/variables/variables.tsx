import type { ProjectId } from "#contract/ids.ts";
import { useProject } from "#dashboard/data/resources.ts";
import { useVariables } from "#dashboard/pages/variables/variable-resources.ts";
import { History } from "#dashboard/pages/variables/history.tsx";
import { SealKeys } from "#dashboard/pages/variables/seal-keys.tsx";
import { VariablesForm } from "#dashboard/pages/variables/variables-form.tsx";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** A project's variables and secrets, and the history of their changes. */
export function VariablesPage({ id }: { readonly id: ProjectId }) {
  const { value: project, reload: reloadProject } = useProject(id);
  const variables = useVariables(id);
  const reload = async () => {
    await Promise.all([variables.reload(), reloadProject()]);
  };
  const name = project?.name ?? "project";
  return (
    <ProjectFrame id={id} section="variables" title="Variables">
      <Show of={variables} what="the variables">
        {(value) => (
          <>
            <VariablesForm projectName={name} read={value} reload={reload} />
            {project?.variables_applied === false ? (
              <ApplyConfig projectId={id}>The live deployment runs with earlier variables.</ApplyConfig>
            ) : null}
            <SealKeys of={value} />
            <History id={id} revision={value.revision} />
          </>
        )}
      </Show>
    </ProjectFrame>
  );
}
