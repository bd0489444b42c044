import { useEffect, useMemo, useState } from "preact/hooks";

import { changesText } from "#contract/endpoints/deployments/changes-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { useDeployment, useProject } from "#dashboard/data/resources.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { Announcer } from "#dashboard/pages/deployment/announcer.tsx";
import { FailureBox } from "#dashboard/pages/deployment/failure-box.tsx";
import { HeldNotice } from "#dashboard/pages/deployment/held-notice.tsx";
import { LogView } from "#dashboard/pages/deployment/log-view.tsx";
import { RunGrid } from "#dashboard/pages/deployment/run-grid.tsx";
import { isGoingBack } from "#dashboard/pages/deployment/server-runs.ts";
import { useRunServers } from "#dashboard/pages/deployment/use-run-servers.ts";
import { Stages } from "#dashboard/pages/deployment/stages.tsx";
import { type LineLink, useLineLink } from "#dashboard/pages/deployment/use-line-link.ts";
import { isMissing } from "#dashboard/shared/unavailable.tsx";
import { DeploymentActions } from "#dashboard/pages/deployment/deployment-actions.tsx";
import { Crumbs, Page } from "#dashboard/shared/page.tsx";
import { allProjects, projectCrumbs } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Branch, Commit, Status, waitingText } from "#dashboard/shared/status.tsx";
import { Ago, Duration } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { siteName } from "#dashboard/text/site-name.ts";
import { statusLabels } from "#dashboard/text/labels.ts";

type Props = { readonly id: DeploymentId };

/** A deployment with its details, stages and log, and the failure if it failed. */
export function DeploymentPage({ id }: Props) {
  const deployment = useDeployment(id);
  const log = useMemo(() => new LogStore(id), [id]);
  const { hasEnded } = useSignal(log.state);
  const lineLink = useLineLink();
  useEffect(() => log.follow(), [log]);
  // The log ends before the deployment is polled again.
  useEffect(() => {
    if (hasEnded) void deployment.reload();
  }, [hasEnded]);
  const { value } = deployment;
  return (
    <Page
      title={value === null ? "Deployment" : `v${value.version} ${statusLabels[value.status].toLowerCase()}`}
      heading={value === null ? "Deployment" : <Heading deployment={value} />}
      sections={value === null ? <Crumbs crumbs={[allProjects]} /> : <ProjectCrumbs id={value.project_id} />}
      actions={
        value === null || isMissing(deployment.problem) ? null : <DeploymentActions deployment={value} />
      }
    >
      <Show of={deployment} what="the deployment">
        {(known) =>
          known.runs.length === 0 ? (
            <>
              <HeldNotice deployment={known} />
              <Announcer deployment={known} server={null} />
              <FailureBox deployment={known} log={log} server={null} onLine={lineLink.link} />
              <Facts deployment={known} nameOf={null} />
              <Stages deployment={known} log={log} />
              <LogView deployment={known} log={log} lineLink={lineLink} servers={null} />
            </>
          ) : (
            <OnServers deployment={known} log={log} lineLink={lineLink} />
          )
        }
      </Show>
    </Page>
  );
}

type KnownProps = { readonly deployment: Deployment; readonly log: LogStore; readonly lineLink: LineLink };

/** A deployment to several servers: the stages of each, and whose lines of the log are shown. */
function OnServers({ deployment, log, lineLink }: KnownProps) {
  const [chosen, setChosen] = useState<ServerId | null>(null);
  const { all, nameOf } = useRunServers(deployment);
  const failed = deployment.failure?.server_id;
  const failedName = failed === undefined ? null : nameOf(failed);
  return (
    <>
      <HeldNotice deployment={deployment} />
      <Announcer deployment={deployment} server={failedName} />
      <FailureBox deployment={deployment} log={log} server={failedName} onLine={lineLink.link} />
      <Facts deployment={deployment} nameOf={nameOf} />
      <RunGrid deployment={deployment} log={log} nameOf={nameOf} chosen={chosen} onChoose={setChosen} />
      <LogView
        deployment={deployment}
        log={log}
        lineLink={lineLink}
        servers={{ all, chosen, onChoose: setChosen }}
      />
    </>
  );
}

function ProjectCrumbs({ id }: { readonly id: ProjectId }) {
  const { value: project } = useProject(id);
  return <Crumbs crumbs={projectCrumbs(id, project?.name ?? null)} />;
}

function Heading({ deployment }: { readonly deployment: Deployment }) {
  return (
    <>
      v{deployment.version}{" "}
      {isGoingBack(deployment) ? <span class="status building">Going back</span> : <Status of={deployment} />}
    </>
  );
}

type FactsProps = {
  readonly deployment: Deployment;
  /** The names of its servers; null: it has one. */
  readonly nameOf: ((id: ServerId) => string) | null;
};

function Facts({ deployment, nameOf }: FactsProps) {
  const { value: project } = useProject(deployment.project_id);
  const site = deployment.status === "live" ? (project?.url ?? null) : null;
  const { branch, commit, commit_message: message, actor, kind, rollback_of: source } = deployment;
  const { trigger, approved_by: approver, emergency } = deployment;
  const waiting = waitingText(deployment);
  const changed = changesText(deployment.changes);
  return (
    <dl class="facts">
      <dt>Source</dt>
      <dd>
        <Branch name={branch} repository={project?.repository} />{" "}
        <Commit
          commit={commit}
          message={message}
          isFinal={deployment.status !== "building"}
          repository={project?.repository}
        />
      </dd>
      <dt>Started</dt>
      <dd>
        <Ago time={deployment.created_at} /> by {actor.name}
        {trigger === "api" ? null : <PushOf deployment={deployment} />}
        {kind === "rollback" && source !== null ? (
          <>
            , as a rollback to <Source id={source} />
          </>
        ) : null}
        {kind === "config" ? `, to apply without a build: ${changed ?? "variables and settings"}` : ""}
        {deployment.clear_cache ? ", with a cleared cache" : ""}
        {approver === null ? "" : `, approved by ${approver.name}`}
      </dd>
      {emergency === null ? null : (
        <>
          <dt>Emergency</dt>
          <dd>{emergency}. It passes freezes and approvals.</dd>
        </>
      )}
      {deployment.build === null ? null : (
        <>
          <dt>Build</dt>
          <dd>{buildText(deployment.build, nameOf)}</dd>
        </>
      )}
      <dt>Duration</dt>
      <dd>
        {waiting ?? (
          <Duration
            seconds={deployment.duration}
            runningSince={deployment.status === "building" ? deployment.started_at : null}
          />
        )}
      </dd>
      {deployment.variables_revision === null ? null : (
        <>
          <dt>Variables</dt>
          <dd>
            <a href={pathTo({ page: "variables", id: deployment.project_id })}>
              Revision {deployment.variables_revision}
            </a>
          </dd>
        </>
      )}
      {site === null || project === null ? null : (
        <>
          <dt>Site</dt>
          <dd>
            <a href={site}>{siteName(site, project.domain)}</a>
          </dd>
        </>
      )}
    </dl>
  );
}

/** `by builder-1, 81 MB`, or `uploaded, 81 MB` */
function buildText(
  { server_id: builder, bytes }: NonNullable<Deployment["build"]>,
  nameOf: FactsProps["nameOf"],
): string {
  const by = builder === null ? "uploaded" : `by ${nameOf?.(builder) ?? builder}, for all servers`;
  return bytes === null ? by : `${by}, ${sizeText(bytes)}`;
}

/** The deployment that a rollback goes back to. It may have been deleted, or removed after the retention time. */
function Source({ id }: { readonly id: DeploymentId }) {
  const { value, problem } = useDeployment(id);
  if (problem?.status === 404) return <>a deployment that was removed</>;
  return (
    <a href={pathTo({ page: "deployment", id })}>
      {value === null ? "an earlier deployment" : `v${value.version}`}
    </a>
  );
}

/** The push that started a deployment, and what reported it. */
function PushOf({ deployment: { trigger, project_id: id } }: { readonly deployment: Deployment }) {
  return (
    <>
      {trigger === "poll" ? ", which found " : ", by "}
      <a href={pathTo({ page: "pushes", id })}>a push</a>
    </>
  );
}
