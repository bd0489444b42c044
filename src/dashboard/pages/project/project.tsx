import { useEffect, useState } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import type { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { useMay, useProject } from "#dashboard/data/resources.ts";
import { DeployDialog } from "#dashboard/pages/project/deploy-dialog.tsx";
import { DeploymentList } from "#dashboard/pages/project/deployment-list.tsx";
import { MaintenanceDialog } from "#dashboard/pages/project/maintenance-dialog.tsx";
import { BalanceNotice } from "#dashboard/pages/project/balance-notice.tsx";
import { MaintenanceNotice } from "#dashboard/pages/project/maintenance-notice.tsx";
import { PauseDialog } from "#dashboard/pages/project/pause-dialog.tsx";
import { PauseNotice } from "#dashboard/pages/project/pause-notice.tsx";
import { ProductionCard, ProductionSpace } from "#dashboard/pages/project/production-card.tsx";
import { ServerTable } from "#dashboard/pages/project/server-table.tsx";
import { ApplyConfig } from "#dashboard/shared/apply-config.tsx";
import { DEPLOY_FRAGMENT } from "#dashboard/pages/search/entries.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Missing, isMissing } from "#dashboard/shared/unavailable.tsx";
import { Menu } from "#dashboard/shared/menu.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = { readonly id: ProjectId };

/** A project: its state in production, its actions and its deployments. */
export function ProjectPage({ id }: Props) {
  const project = useProject(id);
  const mayDeploy = useMay("startDeployment", id);
  const [open, setOpen] = useState<"deploy" | "maintenance" | "pause" | null>(null);
  useEffect(() => {
    const openAsked = () => {
      if (location.hash !== DEPLOY_FRAGMENT || !mayDeploy) return;
      history.replaceState(null, "", location.pathname + location.search);
      setOpen("deploy");
    };
    openAsked();
    globalThis.addEventListener("hashchange", openAsked);
    return () => globalThis.removeEventListener("hashchange", openAsked);
  }, [id, mayDeploy]);
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
              <Menu
                text="More"
                label="More actions"
                items={[
                  // Shown while the project loads too, so that the menu does not change below the pointer.
                  ...((project.value?.maintenance ?? null) === null
                    ? [{ label: "Maintenance", onSelect: () => setOpen("maintenance") }]
                    : []),
                  { label: "Pause", onSelect: () => setOpen("pause") },
                  { label: "Repository access", href: pathTo({ page: "repository", id }) },
                ]}
              />
              <Button variant="primary" onClick={() => setOpen("deploy")}>
                Deploy
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {project.value === null && project.problem === null ? (
        <ProductionSpace />
      ) : (
        <Show of={project} what="the project">
          {(value) => (
            <>
              <MaintenanceNotice project={value} set={maintenance} onChange={noteMaintenance} />
              {/* Of several servers, the table says it for each. */}
              {value.ingress_problem === null || value.servers_state.length > 0 ? null : (
                <div class="notice apply" role="status">
                  <p>
                    <strong>The ingress has a problem.</strong> {withHiddenShown(value.ingress_problem)}
                  </p>
                </div>
              )}
              <BalanceNotice states={value.balance_state} />
              {pausedUntil === null ? null : (
                <PauseNotice projectId={id} until={Date.parse(pausedUntil)} onChange={setPause} />
              )}
              <ProductionCard project={value} />
              {value.servers_state.length > 0 ? <ServerTable project={value} /> : <Drift project={value} />}
              {value.variables_applied === false ? (
                <ApplyConfig projectId={id}>
                  The variables have changed since the live deployment was started.
                </ApplyConfig>
              ) : null}
            </>
          )}
        </Show>
      )}
      {open === "deploy" ? (
        <DeployDialog id={id} project={project.value} onClose={() => setOpen(null)} />
      ) : null}
      {open === "maintenance" ? (
        <MaintenanceDialog projectId={id} onChange={noteMaintenance} onClose={() => setOpen(null)} />
      ) : null}
      {open === "pause" ? (
        <PauseDialog projectId={id} onChange={setPause} onClose={() => setOpen(null)} />
      ) : null}
      <DeploymentList projectId={id} repository={project.value?.repository} />
    </ProjectFrame>
  );
}

/** A warning that the server serves another release than the live one. */
function Drift({ project: { serving } }: { readonly project: Project }) {
  if (serving?.drifted !== true) return null;
  const served = serving.version === null ? serving.commit : `v${serving.version}`;
  return (
    <p class="problem" role="status">
      <strong>The server does not serve the live deployment.</strong> Checked{" "}
      <Ago time={serving.checked_at} />
      {served === null ? "" : `; it serves ${served}`}. Deploy or roll back to fix this.
    </p>
  );
}
