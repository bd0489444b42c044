import { useEffect, useState } from "preact/hooks";

import { type Project, UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import { runStages, stageLabels, timeoutName } from "#contract/stages.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useAccount, useServers } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import {
  changesOf,
  type DraftName,
  draftOf,
  Edits,
  editsAfter,
  editsSince,
} from "#dashboard/pages/settings/draft.ts";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = { readonly project: Project; readonly onSaved: () => unknown };

/** Every setting, checked as it is typed; what is saved counts from the next deployment on. */
export function SettingsForm({ project: read, onSaved }: Props) {
  const { value: servers } = useServers(ALL);
  const { value: account } = useAccount(ALL);
  const mayMove = account === null || account.token.project_ids === null;
  // What is saved is known before it is read again.
  const [project, setProject] = useState(read);
  useEffect(() => setProject(read), [read]);
  const { draft: edits, change: changeEdits } = useDraft(`settings of ${project.id}`, Edits);
  // A field that nobody has typed into goes with what others save.
  const draft = { ...draftOf(project), ...edits };
  const [isSaved, setIsSaved] = useState(false);
  const saving = useAction((body: UpdateProjectInput) =>
    api.updateProject({ params: { project_id: project.id }, body }),
  );
  const changes = changesOf(draft, project);
  const parsed = UpdateProjectInput.safeParse(changes);
  const errors = parsed.success ? {} : errorsOf(parsed.error);
  const isChanged = Object.keys(changes).length > 0;

  const change = (part: Edits) => {
    setIsSaved(false);
    changeEdits((before) => editsAfter({ ...before, ...part }, project));
  };
  const save = async () => {
    const saved = parsed.success ? await saving.run(parsed.data) : null;
    if (saved === null) return;
    // Somebody may have typed on meanwhile.
    changeEdits((now) => editsAfter(editsSince(edits, now), saved.value));
    setProject(saved.value);
    setIsSaved(true);
    await onSaved();
  };
  const errorOf = (name: DraftName) => {
    const paths = pathsOf(name);
    return Object.entries(errors).find(([path]) => paths.some((one) => one.test(path)))?.[1] ?? null;
  };
  const field = (name: DraftName, label: string, more: Partial<Parameters<typeof Field>[0]> = {}) => (
    <Field
      label={label}
      value={draft[name]}
      onInput={(value) => change({ [name]: value })}
      error={errorOf(name)}
      {...more}
    />
  );
  return (
    <Form class="settings" onSubmit={save}>
      <fieldset>
        <legend>Project</legend>
        {field("name", "Name")}
        {field("domain", "Domain", { isCode: true })}
        {mayMove ? (
          <Choice
            label="Server"
            value={draft.server_id}
            onChange={(id) => change({ server_id: id })}
            hint="The project moves with its next deployment."
          >
            {(servers?.servers ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
        ) : null}
      </fieldset>
      <fieldset>
        <legend>Code</legend>
        {field("repository", "Repository", { isCode: true })}
        {field("branch", "Branch", { isCode: true })}
        <Choice
          label="Commits by hash"
          value={draft.commits}
          onChange={(commits) => change({ commits })}
          hint="A pull request's commits, and on many forges those of forks, are in no branch or tag."
        >
          <option value="reachable">Only commits that a branch or tag contains</option>
          <option value="any">Any commit, also of pull requests and forks</option>
          <option value="none">None: only branches and tags are deployed</option>
        </Choice>
        {field("root_directory", "Root directory", { isCode: true, hint: "Within the repository." })}
      </fieldset>
      <fieldset>
        <legend>Build</legend>
        {field("framework", "Framework", {
          isCode: true,
          placeholder: `found: ${project.framework}`,
          hint: "Left empty, it is found by the files of each deployment.",
        })}
        {draft.buildsNothing
          ? null
          : field("build_command", "Build command", {
              isCode: true,
              lines: 3,
              placeholder: project.build_command ?? "",
              hint: "Left empty, the framework's own.",
            })}
        <label class="check">
          <input
            type="checkbox"
            checked={draft.buildsNothing}
            onChange={(event) => change({ buildsNothing: event.currentTarget.checked })}
          />
          Build nothing
        </label>
        {field("output_directory", "Output directory", {
          isCode: true,
          placeholder: project.output_directory,
          hint: "Left empty, the framework's own.",
        })}
      </fieldset>
      <fieldset>
        <legend>Going live</legend>
        {field("activate_command", "Activate command", {
          isCode: true,
          lines: 3,
          hint: "Run after the switch, such as a restart.",
        })}
        {field("health_check", "Health check", {
          isCode: true,
          placeholder: "/up",
          hint: "A path of the site, or a whole address. Left empty, nothing is checked.",
        })}
        {draft.health_check.trim() === "" ? null : (
          <div class="columns">
            {field("health_status", "Status that it must have", { type: "number" })}
            {field("health_tries", "Tries", { type: "number" })}
            {field("health_interval_seconds", "Seconds between two tries", { type: "number" })}
            {field("health_timeout_seconds", "Seconds for each try", { type: "number" })}
          </div>
        )}
        {field("shared_paths", "Shared paths", {
          isCode: true,
          lines: 3,
          hint: "One a line: what all releases share.",
        })}
        {field("keep_releases", "Releases kept", { type: "number" })}
        <Choice label="Queue" value={draft.queue} onChange={(queue) => change({ queue })}>
          <option value="all">Every deployment, in order</option>
          <option value="latest">Only the latest: a new one cancels those that wait</option>
        </Choice>
      </fieldset>
      <fieldset>
        <legend>Time limits, in seconds</legend>
        <div class="columns">
          {runStages.map((stage) => field(timeoutName(stage), stageLabels[stage], { type: "number" }))}
          {field("queue_seconds", "Waiting for a server that is offline", { type: "number" })}
        </div>
      </fieldset>
      <SaveBar
        saving={saving}
        canSave={isChanged && parsed.success}
        saved={isSaved && !isChanged ? "Saved. It counts from the next deployment on." : null}
        onDiscard={isChanged ? () => changeEdits(() => null) : undefined}
      />
    </Form>
  );
}

/** Where in the change what is wrong with a field is told. */
function pathsOf(name: DraftName): RegExp[] {
  const [, inCheck] = /^health_(.+)$/.exec(name) ?? [];
  if (name === "health_check") return [/^health_check(\.(path|url))?$/];
  if (inCheck !== undefined) return [new RegExp(`^health_check\\.${inCheck}$`)];
  if (name.endsWith("_seconds")) return [new RegExp(`^timeouts\\.${name}$`)];
  return [new RegExp(`^${name}(\\.|$)`)];
}
