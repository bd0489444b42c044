import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Choice } from "#dashboard/shared/field.tsx";

/** How a deployment gets to the servers of a project that has several. */
export function RolloutFieldset({ draft, change, field }: SettingsPart) {
  const { rollout_order: order, rollout_on_failure: onFailure, rollout_offline: offline } = draft;
  const isInBatches = order !== "at_once";
  return (
    <fieldset>
      <legend>Rollout</legend>
      <p class="quiet">
        Every server prepares the release. No server switches to it before all are ready: if one fails until
        then, the deployment stops on all, and nothing has changed.
      </p>
      <Choice
        label="How servers switch"
        value={order}
        onChange={(value) => change({ rollout_order: value })}
        hint={
          isInBatches
            ? "A batch switches when the batch before it is live."
            : "No server waits for another one."
        }
      >
        <option value="rolling">In batches</option>
        <option value="at_once">All at the same time</option>
      </Choice>
      <div class="columns">
        {isInBatches ? field("rollout_batch", "Servers in a batch", { type: "number" }) : null}
        {isInBatches ? field("rollout_pause_seconds", "Seconds between batches", { type: "number" }) : null}
        {field("rollout_canary", "Servers that switch first", {
          type: "number",
          placeholder: "none",
          hint: "Canaries: the others follow when these are live.",
        })}
      </div>
      {draft.rollout_canary.trim() === "" ? null : (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={draft.rollout_canary_approval}
              onChange={({ currentTarget }) => change({ rollout_canary_approval: currentTarget.checked })}
            />
            The others wait for an approval
          </label>
          <p class="quiet">
            For an hour. Without an approval, the deployment is canceled, and these servers go back.
          </p>
        </>
      )}
      <Choice
        label="If a server fails after others have switched"
        value={onFailure}
        onChange={(value) => change({ rollout_on_failure: value })}
        hint={failureHint(onFailure)}
      >
        <option value="revert">Go back on all servers</option>
        <option value="stop">Stop, and change no other server</option>
        <option value="continue">Continue with the others</option>
      </Choice>
      <Choice
        label="If a server is not connected"
        value={offline}
        onChange={(value) => change({ rollout_offline: value })}
        hint={
          offline === "skip"
            ? "It gets the release when it is connected again."
            : "The deployment fails after a time limit, which is on the page Releases: Waiting for an offline server."
        }
      >
        <option value="wait">Wait for it</option>
        <option value="skip">Deploy without it</option>
      </Choice>
      {onFailure === "continue" || offline === "skip"
        ? field("rollout_min", "Servers that must switch", {
            type: "number",
            hint: "If fewer can, the deployment fails.",
          })
        : null}
    </fieldset>
  );
}

function failureHint(onFailure: string): string {
  switch (onFailure) {
    case "stop":
      return "The servers that have switched keep the new release, the others keep the old one. The deployment fails.";
    case "continue":
      return "The deployment goes live. The server that failed gets the release later.";
    default:
      return "The deployment fails, and every server serves what was live.";
  }
}
