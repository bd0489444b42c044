import { useEffect, useState } from "preact/hooks";

import { type Project, UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import { changesOf, editsAfter, editsSince } from "#dashboard/pages/settings/changes.ts";
import { cronErrors } from "#dashboard/pages/settings/cron-draft.ts";
import { type DraftName, draftOf, Edits } from "#dashboard/pages/settings/draft.ts";
import { errorPaths } from "#dashboard/pages/settings/error-paths.ts";
import { ProjectFieldsets } from "#dashboard/pages/settings/project-fieldsets.tsx";
import { PushFieldset } from "#dashboard/pages/settings/push-fieldset.tsx";
import { ReleaseFieldsets } from "#dashboard/pages/settings/release-fieldsets.tsx";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { Field, type FieldProps } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = { readonly project: Project; readonly onSaved: () => unknown };

/** A form for all settings, validated while typing. Saved changes apply from the next deployment. */
export function SettingsForm({ project: read, onSaved }: Props) {
  // The saved project is known before it is loaded again.
  const [project, setProject] = useState(read);
  useEffect(() => setProject(read), [read]);
  const { draft: edits, change: changeEdits } = useDraft(`settings of ${project.id}`, Edits);
  // Fields without edits follow changes that others save.
  const draft = { ...draftOf(project), ...edits };
  const [isSaved, setIsSaved] = useState(false);
  const saving = useAction((body: UpdateProjectInput) =>
    api.updateProject({ params: { project_id: project.id }, body }),
  );
  const changes = changesOf(draft, project);
  const parsed = UpdateProjectInput.safeParse(changes);
  const errors = parsed.success ? cronErrors(draft.cron) : errorsOf(parsed.error);
  const isValid = Object.keys(errors).length === 0;
  const isChanged = Object.keys(changes).length > 0;

  const change = (part: Edits) => {
    setIsSaved(false);
    changeEdits((before) => editsAfter({ ...before, ...part }, project));
  };
  const save = async () => {
    const saved = parsed.success && isValid ? await saving.run(parsed.data) : null;
    if (saved === null) return;
    // The user may have typed more in the meantime.
    changeEdits((now) => editsAfter(editsSince(edits, now), saved.value));
    setProject(saved.value);
    setIsSaved(true);
    await onSaved();
  };
  const errorOf = (name: DraftName) => {
    const paths = errorPaths(name, draft);
    return Object.entries(errors).find(([path]) => paths.some((one) => one.test(path)))?.[1] ?? null;
  };
  const field = (name: DraftName, label: string, more: Partial<FieldProps> = {}) => (
    <Field
      label={label}
      value={draft[name]}
      onInput={(value) => change({ [name]: value })}
      error={errorOf(name)}
      {...more}
    />
  );
  const part = { project, draft, change, field, errors };
  return (
    <Form class="settings" onSubmit={save}>
      <ProjectFieldsets {...part} />
      <PushFieldset {...part} />
      <ReleaseFieldsets {...part} />
      <SaveBar
        saving={saving}
        canSave={isChanged && isValid}
        saved={isSaved && !isChanged ? "Saved. Changes apply from the next deployment." : null}
        onDiscard={isChanged ? () => changeEdits(() => null) : undefined}
      />
      {isSaved && !isChanged && project.variables_applied !== null ? (
        <ApplyConfig projectId={project.id}>
          Settings of what runs, such as processes, can be applied without a build.
        </ApplyConfig>
      ) : null}
    </Form>
  );
}
