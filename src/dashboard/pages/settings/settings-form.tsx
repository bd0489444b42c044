import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { projectChangesApi } from "#dashboard/data/project-changes.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import { changesOf, editsAfter, editsSince } from "#dashboard/pages/settings/changes.ts";
import { cronErrors } from "#dashboard/pages/settings/cron-draft.ts";
import { type DraftName, draftOf, Edits } from "#dashboard/pages/settings/draft.ts";
import { errorPaths } from "#dashboard/pages/settings/error-paths.ts";
import type { SettingsPage } from "#dashboard/pages/settings/settings-pages.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { Field, type FieldProps } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { ChangeableFields } from "#dashboard/shared/view-only.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

/** When a change applies. */
function savedTextOf(changes: UpdateProjectInput): string {
  if (changes.server_id !== undefined) return "Saved. The project moves with its next deployment.";
  const { entry, ...others } = changes;
  if (entry !== undefined && Object.keys(others).length === 0)
    return "Saved. The servers get the change now.";
  return "Saved. Changes apply from the next deployment.";
}

type Props = {
  readonly project: Project;
  /** The page of the form, which has a draft of its own. */
  readonly page: SettingsPage;
  readonly fields: (part: SettingsPart) => VNode;
  /** What stands between the fields and the button, and can be used without the permission to change the fields. */
  readonly children?: ComponentChildren;
  readonly onSaved: () => unknown;
};

/** A form for a part of the settings, validated while typing. Saved changes apply from the next deployment. */
export function SettingsForm({ project: read, page, fields: Fields, children, onSaved }: Props) {
  // The saved project is known before it is loaded again.
  const [project, setProject] = useState(read);
  useEffect(() => setProject(read), [read]);
  const { draft: edits, change: changeEdits } = useDraft(`${page} of ${project.id}`, Edits);
  // Fields without edits follow changes that others save.
  const draft = { ...draftOf(project), ...edits };
  /** The text after saving, which says when the changes apply. */
  const [savedText, setSavedText] = useState<string | null>(null);
  const mayChange = useAllowed(projectChangeEndpoints.updateProject, project.id);
  const saving = useAction((body: UpdateProjectInput) =>
    projectChangesApi.updateProject({ params: { project_id: project.id }, body }),
  );
  const changes = changesOf(draft, project);
  const form = readForm(UpdateProjectInput, changes);
  const errors = { ...("cron" in changes ? cronErrors(draft.cron) : {}), ...form.errors };
  const isValid = Object.keys(errors).length === 0;
  const isChanged = Object.keys(changes).length > 0;

  const change = (part: Edits) => {
    setSavedText(null);
    changeEdits((before) => editsAfter({ ...before, ...part }, project));
  };
  const save = async () => {
    const saved = form.ok && isValid ? await saving.run(form.value) : null;
    if (saved === null) return;
    // The user may have typed more in the meantime.
    changeEdits((now) => editsAfter(editsSince(edits, now), saved.value));
    setProject(saved.value);
    setSavedText(savedTextOf(form.ok ? form.value : {}));
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
    <Form onSubmit={save}>
      <ChangeableFields what="these settings" mayChange={mayChange}>
        <Fields {...part} />
      </ChangeableFields>
      {children}
      {mayChange ? (
        <SaveBar
          saving={saving}
          canSave={isChanged}
          saved={isChanged ? null : savedText}
          onDiscard={isChanged ? () => changeEdits(() => null) : undefined}
        />
      ) : null}
      {savedText !== null && !isChanged && project.variables_applied !== null ? (
        <ApplyConfig projectId={project.id}>
          Settings of what runs, such as processes, can be applied without a build.
        </ApplyConfig>
      ) : null}
    </Form>
  );
}
