import { sourceText } from "#contract/processes/command-source.ts";
import { runStages, stageLabels, timeoutName } from "#contract/stages.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice } from "#dashboard/shared/field.tsx";

/** When a deployment runs, how its release goes live, and the limits of its commands. */
export function ReleaseFields({ project, draft, change, field }: SettingsPart) {
  const { suggested_release_command: suggested, repository_definitions: defined } = project;
  const { release_command: inRepository } = defined;
  return (
    <>
      <fieldset>
        <legend>Release</legend>
        {field("release_command", "Release command", {
          isCode: true,
          lines: 3,
          placeholder: inRepository?.command ?? "",
          hint: "Runs once before the switch to a new release, for example to migrate a database. The earlier release still serves, so a migration must work with its code too. A rollback does not run it.",
        })}
        {inRepository === null ? null : (
          <p class="hint">
            {draft.release_command.trim() === "" ? "Runs now: " : "Replaces "}
            <code>{inRepository.command}</code> ({sourceText(inRepository.from)})
          </p>
        )}
        {suggested === null || draft.release_command.trim() !== "" ? null : (
          <p class="hint">
            Usual for this project:{" "}
            <Button onClick={() => change({ release_command: suggested })}>
              Use <code>{suggested}</code>
            </Button>
          </p>
        )}
        {field("shared_paths", "Shared paths", {
          isCode: true,
          lines: 3,
          hint: "Files and folders that all releases share, one per line.",
        })}
        {field("keep_releases", "Releases to keep", { type: "number" })}
        {field("asset_overlap", "Seconds for which files of earlier releases stay reachable", {
          type: "number",
          hint: "Only files with a hash in their names, which a browser with an older page loads.",
        })}
      </fieldset>
      <fieldset>
        <legend>Health check</legend>
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
      </fieldset>
      <fieldset>
        <legend>Queue and approval</legend>
        <Choice label="Queue" value={draft.queue} onChange={(queue) => change({ queue })}>
          <option value="all">Run every deployment, in order</option>
          <option value="latest">Run only the latest: a new deployment cancels queued ones</option>
        </Choice>
        <Choice
          label="Approval"
          value={draft.approval}
          onChange={(approval) => change({ approval })}
          hint="Approving needs a permission of its own. Rollbacks do not wait."
        >
          <option value="none">Deployments run without an approval</option>
          <option value="required">Deployments wait until somebody approves them</option>
          <option value="by_another">
            Deployments wait for the approval of somebody who did not start them
          </option>
          <option value="by_another_person">The same, and a member must approve, not a service token</option>
        </Choice>
      </fieldset>
      <Advanced>
        {field("activate_command", "Activate command", {
          isCode: true,
          lines: 3,
          hint: "Runs after the switch to the new release. Only for an app that is not started as a process.",
        })}
        <h3>Time limits, in seconds</h3>
        <div class="columns">
          {runStages.map((stage) => field(timeoutName(stage), stageLabels[stage], { type: "number" }))}
          {field("queue_seconds", "Waiting for an offline server", { type: "number" })}
        </div>
        <h3>Limits of commands</h3>
        <p class="quiet">
          For the build, the release and the activate command, on a server that isolates projects. Empty
          fields are the server's.
        </p>
        <div class="columns">
          {field("limit_memory_mb", "Memory, in MiB", { type: "number" })}
          {field("limit_cpu_weight", "CPU weight (others have 100)", { type: "number" })}
          {field("limit_tasks", "Processes and threads", { type: "number" })}
        </div>
      </Advanced>
    </>
  );
}
