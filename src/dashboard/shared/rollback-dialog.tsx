import { useState } from "preact/hooks";

import { outlookText, willWait } from "#contract/endpoints/deployments/rollback-outlook.ts";
import {
  type Deployment,
  RollbackSettings,
  type RollbackTarget,
  RollbackVariables,
} from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { api } from "#dashboard/data/api.ts";
import {
  ALL,
  useHasScope,
  useLiveToConfirm,
  useRollbackTargets,
  useUnfinished,
} from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { EmergencyField } from "#dashboard/shared/emergency-field.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Commit, titleOf } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly projectId: ProjectId;
  /** The deployment to roll back to; omitted: the control plane's default. */
  readonly target?: DeploymentId;
  readonly onClose: () => void;
};

/** Shows what a rollback changes, and starts it. */
export function RollbackDialog({ projectId, target, onClose }: Props) {
  const targets = useRollbackTargets(projectId);
  const live = useLiveToConfirm(projectId);
  return (
    <Dialog title="Roll back" onClose={onClose}>
      <HalfwayNotice projectId={projectId} />
      <Show of={targets} what="the rollback targets">
        {({ rollback_targets: listed }) =>
          listed.length === 0 ? (
            <>
              <p>No earlier deployment to roll back to.</p>
              <footer>
                <Button onClick={onClose}>Close</Button>
              </footer>
            </>
          ) : (
            <Show of={live} what="the live deployment">
              {({ deployments }) => (
                <Preview
                  projectId={projectId}
                  targets={listed}
                  live={deployments[0] ?? null}
                  first={target ?? null}
                  onRefused={() => Promise.all([targets.reload(), live.reload()])}
                  onClose={onClose}
                />
              )}
            </Show>
          )
        }
      </Show>
    </Dialog>
  );
}

/** Says that a rollback does not undo a deployment whose first servers wait for an approval. Renders nothing otherwise. */
function HalfwayNotice({ projectId }: Pick<Props, "projectId">) {
  const { value } = useUnfinished(ALL);
  const halfway = value?.deployments.find(
    ({ project_id: id, waiting_on: on }) =>
      id === projectId && on?.type === "approval" && on.until !== undefined,
  );
  if (halfway === undefined) return null;
  const { id, version } = halfway;
  return (
    <p class="notice" role="status">
      <a href={pathTo({ page: "deployment", id })}>v{version}</a> has switched on its first servers and waits
      for an approval. To undo it, cancel it: these servers go back. A rollback runs after it.
    </p>
  );
}

/** Whether a rollback would not change the code: another build or other variables of the live commit. */
function isSameCode(target: RollbackTarget, live: Deployment | null): boolean {
  return target.commit !== null && target.commit === live?.commit;
}

function optionText(target: RollbackTarget, live: Deployment | null): string {
  const { version, commit, commit_message: message, default: isDefault } = target;
  const notes = [isDefault ? "default" : "", isSameCode(target, live) ? "same code" : ""].filter(Boolean);
  return [`v${version}`, commit ?? "", titleOf(message), notes.length === 0 ? "" : `(${notes.join(", ")})`]
    .filter((part) => part !== "")
    .join(" ");
}

function choiceIn<Option extends string>(options: readonly Option[], chosen: string): Option | null {
  return options.find((option) => option === chosen) ?? null;
}

type PreviewProps = {
  readonly projectId: ProjectId;
  readonly targets: readonly RollbackTarget[];
  readonly live: Deployment | null;
  readonly first: DeploymentId | null;
  /** Called when the rollback was refused, because the data shown may be outdated. */
  readonly onRefused: () => unknown;
  readonly onClose: () => void;
};

function Preview({ projectId, targets, live, first, onRefused, onClose }: PreviewProps) {
  const [chosen, setChosen] = useState<string | null>(first);
  const [emergency, setEmergency] = useState("");
  const mayPass = useHasScope("deployments:emergency", projectId);
  const [settings, setSettings] = useState<RollbackSettings | null>(null);
  const [variables, setVariables] = useState<RollbackVariables | null>(null);
  const choices = { settings, variables };
  const target =
    targets.find(({ deployment_id: id }) => id === chosen) ??
    targets.find((one) => one.default) ??
    targets[0];
  const waits = target !== undefined && willWait(target, choices);
  const rolling = useAction((id: DeploymentId) =>
    api.rollBack({
      body: {
        project_id: projectId,
        deployment_id: id,
        ...(settings === null ? {} : { settings }),
        ...(variables === null ? {} : { variables }),
        ...(waits && emergency.trim() !== "" ? { emergency: emergency.trim() } : {}),
      },
      // Refused if another deployment went live since: the user confirmed the rollback from the deployment that was
      // shown.
      ...(live === null ? {} : { headers: { "if-live": live.id } }),
    }),
  );
  if (target === undefined) return null;
  const { runs_with: byDefault } = target;
  const outlook = outlookText(target, choices);
  const rollBack = async () => {
    const go = goFromHere();
    const started = await rolling.run(target.deployment_id);
    if (started === null) await onRefused();
    else go({ page: "deployment", id: started.value.id });
  };
  return (
    <>
      <Choice label="Roll back to" value={target.deployment_id} onChange={setChosen}>
        {targets.map((one) => (
          <option key={one.deployment_id} value={one.deployment_id}>
            {optionText(one, live)}
          </option>
        ))}
      </Choice>
      <dl class="change">
        <dt>From</dt>
        <dd>
          {live === null ? (
            <span class="quiet">no live deployment</span>
          ) : (
            <>
              <strong>v{live.version}</strong> <Commit commit={live.commit} message={live.commit_message} />,
              went live <Ago time={live.finished_at ?? live.created_at} />
            </>
          )}
        </dd>
        <dt>To</dt>
        <dd>
          <strong>v{target.version}</strong> <Commit commit={target.commit} message={target.commit_message} />
          , went live <Ago time={target.live_at} />
          {isSameCode(target, live) ? <span class="tag">same code as now</span> : null}
        </dd>
        <dt>How</dt>
        <dd>
          {target.instant
            ? "Instant: its files are still on the server."
            : "Fetched and built again: its files are no longer on the server."}
        </dd>
      </dl>
      <Choice
        label="Settings"
        value={settings ?? ""}
        onChange={(chosenSettings) => setSettings(choiceIn(RollbackSettings.options, chosenSettings))}
      >
        {byDefault.settings === "current" ? null : <option value="">Settings of v{target.version}</option>}
        <option value={byDefault.settings === "current" ? "" : "current"}>
          Current settings{willWait(target, { settings: "current", variables }) ? " (waits)" : ""}
        </option>
        {byDefault.settings === "current" ? (
          <option value="deployed">Settings of v{target.version}</option>
        ) : null}
      </Choice>
      <Choice
        label="Variables"
        value={variables ?? ""}
        onChange={(chosenVariables) => setVariables(choiceIn(RollbackVariables.options, chosenVariables))}
      >
        {byDefault.variables === "live" ? <option value="">Live variables</option> : null}
        <option value={byDefault.variables === "live" ? "current" : ""}>
          Current variables{willWait(target, { settings, variables: "current" }) ? " (waits)" : ""}
        </option>
        <option value="deployed">Variables of v{target.version}</option>
      </Choice>
      {outlook === null ? null : (
        <p class="notice" role="status">
          {outlook}
        </p>
      )}
      {waits && mayPass ? <EmergencyField value={emergency} onInput={setEmergency} /> : null}
      <ProblemBox problem={rolling.problem} doing="Rolling back" />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" onClick={rollBack} isBusy={rolling.isRunning}>
          Roll back to v{target.version}
        </Button>
      </footer>
    </>
  );
}
