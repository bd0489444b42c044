import { runStages, stageLabels, timeoutName } from "#contract/stages.ts";
import { CronFieldset } from "#dashboard/pages/settings/cron-fieldset.tsx";
import { ProcessesFieldset } from "#dashboard/pages/settings/processes-fieldset.tsx";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice } from "#dashboard/shared/field.tsx";

/** How a release goes live, what runs in it, and the limits. */
export function ReleaseFieldsets({ project, draft, change, field, errors }: SettingsPart) {
  const { suggested_release_command: suggested } = project;
  return (
    <>
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
        <Choice
          label="Approval"
          value={draft.approval}
          onChange={(approval) => change({ approval })}
          hint="Only a token with the permission to approve deployments can approve one. Rollbacks do not wait."
        >
          <option value="none">Deployments run without an approval</option>
          <option value="required">Deployments wait until somebody approves them</option>
          <option value="by_another">
            Deployments wait for the approval of somebody who did not start them
          </option>
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
        <legend>Cron jobs</legend>
        <CronFieldset jobs={draft.cron} onChange={(cron) => change({ cron })} errors={errors} />
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
          {field("limit_memory_mb", "Memory, in MiB", { type: "number" })}
          {field("limit_cpu_weight", "CPU weight (others have 100)", { type: "number" })}
          {field("limit_tasks", "Processes and threads", { type: "number" })}
        </div>
      </fieldset>
    </>
  );
}
