import { abbreviateCommit } from "#contract/abbreviate-commit.ts";
import { hookEndpoints } from "#contract/endpoints/hooks/endpoints.ts";
import type { Push } from "#contract/endpoints/hooks/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { HookId, ProjectId } from "#contract/ids.ts";
import { textOf } from "#contract/growing.ts";
import { hookApi } from "#dashboard/pages/pushes/push-resources.ts";
import { ALL, useAllowed, useProjects } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Commit } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import {
  decisionClasses,
  decisionLabels,
  refText,
  sourceLabels,
  whyText,
} from "#dashboard/pages/pushes/push-texts.ts";

type Props = {
  readonly push: Push;
  readonly showsProject: boolean;
  readonly reload: () => Promise<void>;
};

/** A push with the decision about it, the reason, and the deployment that it started. */
export function PushRow({ push, showsProject, reload }: Props) {
  const { hook_id: hookId, decision, ref, after, headline, pusher, source, count } = push;
  const what = ref === null ? (push.event ?? "delivery") : refText(ref);
  return (
    <li class="record">
      <div class="line">
        <span class={`status ${textOf(decisionClasses, decision)}`}>{textOf(decisionLabels, decision)}</span>
        <span class="title">
          <code>{withHiddenShown(what)}</code>{" "}
          {after === null ? null : <Commit commit={abbreviateCommit(after)} message={headline} />}
        </span>
        <span class="quiet when">
          <Ago time={push.received_at} />
          {pusher === null ? "" : ` by ${withHiddenShown(pusher)}`}
          {count > 1 ? `, ${count} times` : ""}
        </span>
        {hookId === null || ref === null ? null : (
          <Replay push={push} hookId={hookId} what={what} reload={reload} />
        )}
      </div>
      <p>
        {showsProject ? <ProjectOf id={push.project_id} /> : null}
        {withHiddenShown(whyText(push))}
        {push.deployment_id === null ? null : (
          <>
            {" "}
            <a href={pathTo({ page: "deployment", id: push.deployment_id })}>Deployment</a>
          </>
        )}
        {source === "hook" ? null : <span class="quiet"> ({textOf(sourceLabels, source)})</span>}
      </p>
    </li>
  );
}

function ProjectOf({ id }: { readonly id: ProjectId | null }) {
  const { value } = useProjects(ALL);
  if (id === null) return null;
  const name = value?.projects.find((project) => project.id === id)?.name ?? id;
  return (
    <>
      <a href={pathTo({ page: "pushes", id })}>{name}</a>:{" "}
    </>
  );
}

type ReplayProps = {
  readonly push: Push;
  readonly hookId: HookId;
  readonly what: string;
  readonly reload: () => Promise<void>;
};

/** Decides about the push again, with the current settings. */
function Replay({ push: { id, project_id: projectId }, hookId, what, reload }: ReplayProps) {
  const mayDecide = useAllowed(hookEndpoints.replayPush, projectId ?? undefined);
  const replaying = useAction(() =>
    hookApi.replayPush({ params: { hook_id: hookId, push_id: id }, body: {} }),
  );
  const replay = async () => {
    await replaying.run();
    await reload();
  };
  if (!mayDecide) return null;
  return (
    <>
      <Button variant="subtle" label={`Replay ${what}`} onClick={replay} isBusy={replaying.isRunning}>
        Replay
      </Button>
      <ProblemBox problem={replaying.problem} doing="Replaying" />
    </>
  );
}
