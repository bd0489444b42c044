import type { ComponentChildren } from "preact";

import { changesText } from "#contract/endpoints/deployments/changes-text.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Branch, Commit, Status, waitingText } from "#dashboard/shared/status.tsx";
import { Ago, Duration } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly deployment: Deployment;
  /** The project's repository: branch and commit are links to its git host, if that is a public one. */
  readonly repository?: string | undefined;
  /** The actions of the row. */
  readonly children?: ComponentChildren;
};

/** A deployment in one row. The row is a link, below its other links and its actions. */
export function DeploymentRow({ deployment, repository, children }: Props) {
  const { id, version, status, branch, commit, commit_message: message, kind, emergency } = deployment;
  return (
    <div class={children === undefined ? "deployment bare" : "deployment"}>
      <a class="version" href={pathTo({ page: "deployment", id })}>
        v{version}
      </a>
      <Status of={deployment} />
      <span class="what">
        {kind === "deploy" ? null : <span class="tag">{kind}</span>}{" "}
        {emergency === null ? null : (
          <span class="tag warning" title={emergency}>
            emergency
          </span>
        )}{" "}
        <Branch name={branch} repository={repository} />{" "}
        <Commit
          commit={commit}
          message={kind === "config" ? (changesText(deployment.changes) ?? message) : message}
          isFinal={status !== "building"}
          repository={repository}
        />
        <span class="quiet"> by {withHiddenShown(deployment.actor.name)}</span>
      </span>
      <span class="quiet duration">
        {waitingText(deployment) ?? (
          <Duration
            seconds={deployment.duration}
            runningSince={status === "building" ? deployment.started_at : null}
          />
        )}
      </span>
      <span class="quiet when">
        <Ago time={deployment.created_at} />
      </span>
      {children === undefined ? null : <span class="do">{children}</span>}
    </div>
  );
}
