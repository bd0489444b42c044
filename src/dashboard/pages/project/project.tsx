import { useState } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import type { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { ALL, useLive, useMay, useProject, useServers } from "#dashboard/data/resources.ts";
import { DeployDialog } from "#dashboard/pages/project/deploy-dialog.tsx";
import { DeploymentList } from "#dashboard/pages/project/deployment-list.tsx";
import { MaintenanceDialog } from "#dashboard/pages/project/maintenance-dialog.tsx";
import { MaintenanceNotice } from "#dashboard/pages/project/maintenance-notice.tsx";
import { PauseDialog } from "#dashboard/pages/project/pause-dialog.tsx";
import { PauseNotice } from "#dashboard/pages/project/pause-notice.tsx";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { RollbackDialog } from "#dashboard/shared/rollback-dialog.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Missing, isMissing, isNotAllowed } from "#dashboard/shared/unavailable.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Branch, Commit, ServerState } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { siteName } from "#dashboard/text/site-name.ts";

type Props = { readonly id: ProjectId };

/** A project with its details, actions and deployments. */
export function ProjectPage({ id }: Props) {
  const project = useProject(id);
  const mayDeploy = useMay("startDeployment");
  const [open, setOpen] = useState<"deploy" | "rollback" | "maintenance" | "pause" | null>(null);
  const [maintenance, setMaintenance] = useState<MaintenanceSet | null>(null);
  const [pause, setPause] = useState<ProjectPause | null>(null);
  const pausedUntil = pause?.paused_until ?? null;
  const noteMaintenance = (set: MaintenanceSet) => {
    setMaintenance(set);
    void project.reload();
  };
  const name = project.value?.name ?? "Project";
  if (isMissing(project.problem))
    return (
      <Page title={name}>
        <Missing what="the project" />
      </Page>
    );
  return (
    <ProjectFrame
      id={id}
      section="project"
      actions={
        <>
          {mayDeploy ? (
            <>
              <Button variant="primary" onClick={() => setOpen("deploy")}>
                Deploy
              </Button>
              <Button onClick={() => setOpen("rollback")}>Roll back</Button>
              {/* Shown while the project loads too, so that the buttons do not move below the pointer. */}
              {(project.value?.maintenance ?? null) === null ? (
                <Button onClick={() => setOpen("maintenance")}>Maintenance</Button>
              ) : null}
              <Button onClick={() => setOpen("pause")}>Pause</Button>
            </>
          ) : null}
        </>
      }
    >
      <Show of={project} what="the project">
        {(value) => (
          <>
            <MaintenanceNotice project={value} set={maintenance} onChange={noteMaintenance} />
            {value.ingress_problem === null ? null : (
              <div class="notice apply" role="status">
                <p>
                  <strong>The ingress has a problem.</strong> {withHiddenShown(value.ingress_problem)}
                </p>
              </div>
            )}
            {pausedUntil === null ? null : (
              <PauseNotice projectId={id} until={Date.parse(pausedUntil)} onChange={setPause} />
            )}
            <Facts project={value} />
            {value.variables_applied === false ? (
              <ApplyConfig projectId={id}>
                The variables have changed since the live deployment was started.
              </ApplyConfig>
            ) : null}
          </>
        )}
      </Show>
      {open === "deploy" ? (
        <DeployDialog id={id} project={project.value} onClose={() => setOpen(null)} />
      ) : null}
      {open === "rollback" ? <RollbackDialog projectId={id} onClose={() => setOpen(null)} /> : null}
      {open === "maintenance" ? (
        <MaintenanceDialog projectId={id} onChange={noteMaintenance} onClose={() => setOpen(null)} />
      ) : null}
      {open === "pause" ? (
        <PauseDialog projectId={id} onChange={setPause} onClose={() => setOpen(null)} />
      ) : null}
      <h2>Deployments</h2>
      <DeploymentList projectId={id} />
    </ProjectFrame>
  );
}

function Facts({ project }: { readonly project: Project }) {
  const { value: servers } = useServers(ALL);
  const server = servers?.servers.find(({ id }) => id === project.server_id);
  return (
    <>
      <dl class="facts">
        <dt>Site</dt>
        <dd>
          {project.url === null ? (
            project.domain
          ) : (
            <a href={project.url}>{siteName(project.url, project.domain)}</a>
          )}
        </dd>
        <Live project={project} />
        <dt>Server</dt>
        <dd>
          {server === undefined ? (
            <code>{project.server_id}</code>
          ) : (
            <>
              {server.name} <ServerState status={server.status} />
            </>
          )}
        </dd>
        <dt>Source</dt>
        <dd>
          <Branch name={project.branch} /> of <code>{withHiddenShown(project.repository)}</code>{" "}
          <a href={pathTo({ page: "repository", id: project.id })}>Repository access</a>
        </dd>
        <dt>Framework</dt>
        <dd>
          {project.framework}
          {project.app_type === "server" ? ", runs as a server" : ""}
          {project.framework_reasons.length > 0 && (
            <span class="quiet"> because {withHiddenShown(project.framework_reasons.join(" and "))}</span>
          )}
        </dd>
      </dl>
      <Drift project={project} />
    </>
  );
}

function Live({ project: { id } }: { readonly project: Project }) {
  const { value, problem } = useLive(id);
  // The list below says that the token has no access to deployments.
  if (isNotAllowed(problem)) return null;
  const [live] = value?.deployments ?? [];
  return (
    <>
      <dt>Live</dt>
      <dd>
        {live !== undefined ? (
          <>
            <a href={pathTo({ page: "deployment", id: live.id })}>v{live.version}</a>{" "}
            <Commit commit={live.commit} message={live.commit_message} />
          </>
        ) : value === null ? null : (
          <span class="quiet">not deployed yet</span>
        )}
      </dd>
    </>
  );
}

/** A warning that the server serves another release than the live one. */
function Drift({ project: { serving } }: { readonly project: Project }) {
  if (serving?.drifted !== true) return null;
  return (
    <p class="problem" role="status">
      <strong>The server does not serve the live deployment.</strong> Checked{" "}
      <Ago time={serving.checked_at} />
      {serving.commit === null ? "" : `; it serves ${serving.commit}`}. Deploy or roll back to fix this.
    </p>
  );
}
