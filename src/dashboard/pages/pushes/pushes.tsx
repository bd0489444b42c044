import { useState } from "preact/hooks";

import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import type { Hook, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useHooks } from "#dashboard/pages/pushes/push-resources.ts";
import { ALL, useAllowed, useProject } from "#dashboard/data/resources.ts";
import { useIsMemberSession } from "#dashboard/data/use-is-member-session.ts";
import { ConnectHook } from "#dashboard/pages/pushes/connect-hook.tsx";
import { HookCard } from "#dashboard/pages/pushes/hook-card.tsx";
import { HookSteps } from "#dashboard/pages/pushes/hook-steps.tsx";
import { HookPushes, ProjectPushes } from "#dashboard/pages/pushes/push-lists.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { SecretDialog } from "#dashboard/shared/secret-dialog.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** The hook of a project's repository, and every push with the decision about it. */
export function PushesPage({ id }: { readonly id: ProjectId }) {
  const project = useProject(id);
  const hooks = useHooks(ALL);
  const hook = hooks.value?.find(({ project_ids: ids }) => ids.includes(id)) ?? null;
  // Here, because the list of hooks is read again while the dialog is open.
  const [shown, setShown] = useState<HookWithSecret | null>(null);
  const isAboveShown = [project, hooks].every(({ value, problem }) => value !== null || problem !== null);
  const hide = () => {
    setShown(null);
    void hooks.reload();
  };
  return (
    <ProjectFrame id={id} section="pushes" title="Pushes">
      <Show of={project} what="the project">
        {(value) => (
          <>
            <DeployOn project={value} />
            <Show of={hooks} what="the hooks">
              {() => <HookOf project={value} hook={hook} onSecret={setShown} reload={hooks.reload} />}
            </Show>
          </>
        )}
      </Show>
      {/* Shown after the parts above it, so that the page does not move. */}
      <section hidden={!isAboveShown} aria-label="Latest pushes">
        <h2>Latest pushes</h2>
        <Ledger id={id} hook={hook} />
      </section>
      {shown === null ? null : (
        <SecretDialog title="Secret of the hook" secret={shown.secret} onClose={hide}>
          <HookSteps hook={shown} />
        </SecretDialog>
      )}
    </ProjectFrame>
  );
}

/** Which pushes are deployed, in a sentence. */
function DeployOn({ project: { id, branch, deploy_on: on } }: { readonly project: Project }) {
  const branches = on.branches ?? [branch];
  return (
    <p>
      {on.enabled ? (
        <>
          Pushes to <code>{branches.join(", ")}</code>
          {on.tags.length === 0 ? null : (
            <>
              {" "}
              and the tags <code>{on.tags.join(", ")}</code>
            </>
          )}{" "}
          are deployed{on.paths === null && on.ignore_paths.length === 0 ? "" : " if watched files changed"}.
        </>
      ) : (
        "Deploy on push is off."
      )}{" "}
      <a href={pathTo({ page: "settings_pushes", id })}>Settings</a>
    </p>
  );
}

type HookProps = {
  readonly project: Project;
  readonly hook: Hook | null;
  readonly onSecret: (hook: HookWithSecret) => void;
  readonly reload: () => Promise<void>;
};

function HookOf({ project, hook, onSecret, reload }: HookProps) {
  const mayChange = useAllowed(hookEndpoints.createHook);
  const isMemberSession = useIsMemberSession();
  if (hook !== null)
    return <HookCard hook={hook} projectId={project.id} onRotated={onSecret} reload={reload} />;
  if (mayChange) return <ConnectHook project={project} onCreated={onSecret} />;
  return (
    <p class="notice">
      The repository has no hook.{" "}
      {isMemberSession
        ? "Your role does not allow creating one. Ask an admin."
        : "Your token may not create one."}
    </p>
  );
}

type LedgerProps = { readonly id: ProjectId; readonly hook: Hook | null };

function Ledger({ id, hook }: LedgerProps) {
  const [isOfHook, setIsOfHook] = useState(false);
  if (hook === null) return <ProjectPushes id={id} />;
  return (
    <>
      <div class="filters">
        <Choice
          label="Show"
          value={isOfHook ? "hook" : "project"}
          onChange={(shown) => setIsOfHook(shown === "hook")}
        >
          <option value="project">Pushes of this project</option>
          <option value="hook">Everything delivered to the hook</option>
        </Choice>
      </div>
      {isOfHook ? <HookPushes id={hook.id} /> : <ProjectPushes id={id} />}
    </>
  );
}
