import { useEffect, useState } from "preact/hooks";

import { MAX_ALIASES, type Project, UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import { runStages, stageLabels, timeoutName } from "#contract/stages.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useAccount, useServers } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import {
  changesOf,
  type Draft,
  type DraftName,
  draftOf,
  Edits,
  editsAfter,
  editsSince,
  entriesOf,
} from "#dashboard/pages/settings/draft.ts";
import { ProcessesFieldset } from "#dashboard/pages/settings/processes-fieldset.tsx";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { SaveBar } from "#dashboard/shared/save-bar.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";

type Props = { readonly project: Project; readonly onSaved: () => unknown };

/** A form for all settings, validated while typing. Saved changes apply from the next deployment. */
export function SettingsForm({ project: read, onSaved }: Props) {
  const { value: servers } = useServers(ALL);
  const { value: account } = useAccount(ALL);
  const mayMove = account === null || account.token.project_ids === null;
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
  const { suggested_release_command: suggested } = project;
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
    // The user may have typed more in the meantime.
    changeEdits((now) => editsAfter(editsSince(edits, now), saved.value));
    setProject(saved.value);
    setIsSaved(true);
    await onSaved();
  };
  const errorOf = (name: DraftName) => {
    const paths = pathsOf(name, draft);
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
  const command = (
    name: "install_command" | "build_command",
    label: string,
    skip: string,
    skips: "installsNothing" | "buildsNothing",
  ) => (
    <>
      {draft[skips]
        ? null
        : field(name, label, {
            isCode: true,
            lines: 3,
            placeholder: project[name] ?? "",
            hint: commandHints[name],
          })}
      <label class="check">
        <input
          type="checkbox"
          checked={draft[skips]}
          onChange={(event) => change({ [skips]: event.currentTarget.checked })}
        />
        {skip}
      </label>
    </>
  );
  return (
    <Form class="settings" onSubmit={save}>
      <fieldset>
        <legend>Project</legend>
        {field("name", "Name")}
        {field("domain", "Domain", { isCode: true })}
        {field("redirects", "Host names that redirect to the domain", {
          isCode: true,
          lines: 2,
          placeholder: `www.${project.domain}`,
          hint: "One per line.",
        })}
        {field("served_aliases", "Host names that show the same site", {
          isCode: true,
          lines: 2,
          hint: "One per line.",
        })}
        {mayMove ? (
          <Choice
            label="Server"
            value={draft.server_id}
            onChange={(id) => change({ server_id: id })}
            hint="The project moves to this server with its next deployment."
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
        <legend>Source</legend>
        {field("repository", "Repository", { isCode: true })}
        {field("branch", "Branch", { isCode: true })}
        <Choice
          label="Commits by hash"
          value={draft.commits}
          onChange={(commits) => change({ commits })}
          hint="Pull request commits and, on many Git hosts, commits of forks are not on any branch or tag."
        >
          <option value="reachable">Only commits on a branch or tag</option>
          <option value="any">Any commit, including pull requests and forks</option>
          <option value="none">None: deploy only branches and tags</option>
        </Choice>
        {field("root_directory", "Root directory", { isCode: true, hint: "Relative to the repository." })}
      </fieldset>
      <fieldset>
        <legend>Build</legend>
        {field("framework", "Framework", {
          isCode: true,
          placeholder: `detected: ${project.framework}`,
          hint: "Leave empty to detect it from the files of each deployment.",
        })}
        {command("install_command", "Install command", "Skip the installation", "installsNothing")}
        {command("build_command", "Build command", "Skip the build", "buildsNothing")}
        {field("output_directory", "Output directory", {
          isCode: true,
          placeholder: project.output_directory,
          hint: "Leave empty for the framework's default.",
        })}
      </fieldset>
      <fieldset>
        <legend>Release</legend>
        {field("release_command", "Release command", {
          isCode: true,
          lines: 3,
          hint: "Runs once before the switch to a new release, for example to migrate a database. The earlier release still serves, so a migration must work with its code too. A rollback does not run it.",
        })}
        {suggested === null || draft.release_command.trim() !== "" ? null : (
          <p class="hint">
            Usual for this project:{" "}
            <Button onClick={() => change({ release_command: suggested })}>
              Use <code>{suggested}</code>
            </Button>
          </p>
        )}
        {field("activate_command", "Activate command", {
          isCode: true,
          lines: 3,
          hint: "Runs after the switch to the new release. Only for an app that is not started as a process.",
        })}
        {field("health_check", "Health check", {
          isCode: true,
          placeholder: "/up",
          hint: "A path of the site or a URL. Leave empty for no health check.",
        })}
        {draft.health_check.trim() === "" ? null : (
          <div class="columns">
            {field("health_status", "Expected status", { type: "number" })}
            {field("health_tries", "Number of attempts", { type: "number" })}
            {field("health_interval_seconds", "Seconds between attempts", { type: "number" })}
            {field("health_timeout_seconds", "Seconds per attempt", { type: "number" })}
          </div>
        )}
        {field("shared_paths", "Shared paths", {
          isCode: true,
          lines: 3,
          hint: "Files and folders that all releases share, one per line.",
        })}
        {field("keep_releases", "Releases to keep", { type: "number" })}
        <Choice label="Queue" value={draft.queue} onChange={(queue) => change({ queue })}>
          <option value="all">Run every deployment, in order</option>
          <option value="latest">Run only the latest: a new deployment cancels queued ones</option>
        </Choice>
      </fieldset>
      <fieldset>
        <legend>Processes</legend>
        <ProcessesFieldset
          project={project}
          edits={draft.processes}
          onChange={(processes) => change({ processes })}
          errors={errors}
        />
        {field("drain_seconds", "Seconds for replaced instances to finish their requests", {
          type: "number",
        })}
      </fieldset>
      <fieldset>
        <legend>Time limits, in seconds</legend>
        <div class="columns">
          {runStages.map((stage) => field(timeoutName(stage), stageLabels[stage], { type: "number" }))}
          {field("queue_seconds", "Waiting for an offline server", { type: "number" })}
        </div>
      </fieldset>
      <fieldset>
        <legend>Limits of commands</legend>
        <p class="quiet">
          For the build, the release and the activate command, on a server that isolates projects. Empty
          fields are the server's.
        </p>
        <div class="columns">
          {field("limit_memory_mb", "Memory, in MB", { type: "number" })}
          {field("limit_cpu_weight", "CPU weight (others have 100)", { type: "number" })}
          {field("limit_tasks", "Processes and threads", { type: "number" })}
        </div>
      </fieldset>
      <SaveBar
        saving={saving}
        canSave={isChanged && parsed.success}
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

const commandHints = {
  install_command:
    "Leave empty for the framework's default, or for none if you set a build command that installs what it needs.",
  build_command: "Leave empty for the framework's default.",
};

/** The paths of a field's errors. */
function pathsOf(name: DraftName, draft: Draft): RegExp[] {
  const [, inCheck] = /^health_(.+)$/.exec(name) ?? [];
  const [, limit] = /^limit_(.+)$/.exec(name) ?? [];
  if (limit !== undefined) return [new RegExp(`^limits\\.${limit}$`)];
  if (name === "health_check") return [/^health_check(\.(path|url))?$/];
  if (inCheck !== undefined) return [new RegExp(`^health_check\\.${inCheck}$`)];
  if (name === "redirects" || name === "served_aliases") {
    // Both fields are one list in the API.
    const count = entriesOf(draft.redirects).length;
    const isOwn = (at: number) => at < count === (name === "redirects");
    return Array.from({ length: MAX_ALIASES + 1 }, (_, at) => at)
      .filter(isOwn)
      .map((at) => new RegExp(`^aliases\\.${at}(\\.|$)`));
  }
  if (name.endsWith("_seconds") && name !== "drain_seconds") return [new RegExp(`^timeouts\\.${name}$`)];
  return [new RegExp(`^${name}(\\.|$)`)];
}
