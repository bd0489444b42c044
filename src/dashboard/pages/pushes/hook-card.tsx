import { useState } from "preact/hooks";

import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import type { Hook, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import { knownOf, textOf } from "#contract/growing.ts";
import { hookApi } from "#dashboard/pages/pushes/push-resources.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { HookSteps } from "#dashboard/pages/pushes/hook-steps.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { reasonText } from "#dashboard/pages/pushes/push-texts.ts";

type Props = {
  readonly hook: Hook;
  /** The project whose page it is on. */
  readonly projectId: ProjectId;
  readonly onRotated: (hook: HookWithSecret) => void;
  readonly reload: () => Promise<void>;
};

/** The hook of a repository: whether it works, its address, and the actions on it. */
export function HookCard({ hook, projectId, onRotated, reload }: Props) {
  const { forge, repository, received_at: received, previous_expires_at: previous, project_ids: ids } = hook;
  const others = ids.filter((id) => id !== projectId).length;
  return (
    <section class="card hook" aria-label="Hook">
      <h2>
        {textOf(forgeNames, forge)}{" "}
        <span class={`status ${stateOf(hook)}`}>{stateLabels[stateOf(hook)]}</span>
      </h2>
      <RefusedDelivery hook={hook} />
      <dl>
        <dt>Repository</dt>
        <dd>
          <code>{withHiddenShown(repository)}</code>
          {others === 0 ? null : <span class="quiet"> with {others} more of your projects</span>}
        </dd>
        <dt>Last delivery</dt>
        <dd>{received === null ? "none yet" : <Ago time={received} />}</dd>
        {previous === null ? null : (
          <>
            <dt>Old secret works until</dt>
            <dd>
              <Ago time={previous} />
            </dd>
          </>
        )}
      </dl>
      <details open={received === null}>
        <summary>Address and steps</summary>
        <HookSteps hook={hook} />
      </details>
      <HookActions hook={hook} onRotated={onRotated} reload={reload} />
    </section>
  );
}

/** Where a new secret goes, if the sender has no page for webhooks. */
const secretPlaces: Partial<Record<HookForge, string>> = {
  git: "write the new one into the file gantry-secret",
  registry: "write Bearer, a space and the new one as the header Authorization in the registry's settings",
};

type State = "live" | "pending" | "failed";
const stateLabels: Record<State, string> = {
  live: "Connected",
  pending: "Waiting for its first delivery",
  failed: "Last delivery refused",
};

function stateOf({ received_at: received, refused_at: refused }: Hook): State {
  if (refused !== null && (received === null || Date.parse(refused) > Date.parse(received))) return "failed";
  return received === null ? "pending" : "live";
}

/** Says that the hook does not work, and how to repair it. */
function RefusedDelivery({ hook }: { readonly hook: Hook }) {
  const { refused_at: refused, refused_reason: reason, forge } = hook;
  const mayChange = useAllowed(hookEndpoints.rotateHook);
  if (stateOf(hook) !== "failed" || refused === null) return null;
  return (
    <div class="problem" role="status">
      <p>
        <strong>The last delivery was refused</strong> <Ago time={refused} />.{" "}
        {reason === null ? "" : reasonText(reason)}
      </p>
      <p>
        {reason === "bad_signature" || reason === "no_signature"
          ? `${mayChange ? "Rotate the secret below" : "Ask an admin to rotate the secret"}, and ${knownOf(secretPlaces, forge) ?? "enter the new one at the git host"}.`
          : "The list of everything delivered to the hook says what arrived."}
        {forge === "gitlab"
          ? " GitLab turns a webhook off after refusals: press Test there to turn it on again."
          : ""}{" "}
        {forge === "git" || forge === "registry"
          ? "The push itself has succeeded: the server finds it within an hour, or push again."
          : "Pushes that were refused can be delivered again there."}
      </p>
    </div>
  );
}

function HookActions({ hook, onRotated, reload }: Omit<Props, "projectId">) {
  const mayChange = useAllowed(hookEndpoints.deleteHook);
  const params = { hook_id: hook.id };
  const [isDeleting, setIsDeleting] = useState(false);
  const rotating = useAction(() => hookApi.rotateHook({ params, body: {} }));
  const rotate = async () => {
    const rotated = await rotating.run();
    if (rotated !== null) onRotated(rotated.value);
  };
  if (!mayChange) return null;
  return (
    <>
      <ProblemBox problem={rotating.problem} doing="Rotating the secret" />
      <div class="actions">
        <Button onClick={rotate} isBusy={rotating.isRunning}>
          Rotate the secret
        </Button>
        <Button variant="danger" onClick={() => setIsDeleting(true)}>
          Delete the hook
        </Button>
      </div>
      {isDeleting ? (
        <RemovalDialog
          title="Delete the hook"
          remove={() => hookApi.deleteHook({ params })}
          onClose={() => setIsDeleting(false)}
          onRemoved={reload}
        >
          <p>
            The git host or registry can no longer report pushes to this repository, for any of its projects.
            The list of earlier pushes stays.
          </p>
        </RemovalDialog>
      ) : null}
    </>
  );
}
