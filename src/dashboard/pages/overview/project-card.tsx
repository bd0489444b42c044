import type { ComponentChildren } from "preact";

import { mayBeDetectedLater } from "#project-files/frameworks/is-detected-later.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { Degraded } from "#dashboard/shared/health.tsx";
import { Commit, ServerState, Status, waitingText } from "#dashboard/shared/status.tsx";
import { Ago, Duration } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly project: ProjectRow;
  readonly health: ProjectHealth;
  readonly server: ServerRow | null;
  /** Whether the token may read deployments. */
  readonly isVisible: boolean;
  readonly live: Deployment | null;
  /** Building deployments, newest first. */
  readonly running: readonly Deployment[];
  readonly latest: Deployment | null;
};

/** The columns of the list. On a narrow screen, their names are beside the values instead. */
export function ProjectColumns() {
  return (
    <div class="project-columns" aria-hidden="true">
      <span>Project</span>
      <div>
        <span>Live</span>
        <span>Last deployment</span>
        <span>Server</span>
      </div>
    </div>
  );
}

const hidden = <span class="quiet">no access</span>;

/** A project in the list, with its live and latest deployment and its server. */
export function ProjectCard({ project, health, server, isVisible, live, running, latest }: Props) {
  return (
    <article class="card project">
      <header>
        <h2>
          <a href={pathTo({ page: "project", id: project.id })}>{project.name}</a>
        </h2>
        <p class="quiet">
          {mayBeDetectedLater(project) ? "" : `${project.framework} · `}
          {project.domain}
        </p>
      </header>
      <dl>
        <Fact name="Live">
          {!isVisible ? (
            hidden
          ) : live === null ? (
            <span class="quiet">not deployed yet</span>
          ) : (
            <Version deployment={live} health={health} />
          )}
        </Fact>
        <Fact name="Last deployment">
          {running.length > 0 ? (
            <RunningDeployments deployments={running} />
          ) : (
            <LatestDeployment
              project={project}
              latest={latest}
              isDegraded={health.state === "degraded" && latest?.id === live?.id}
            />
          )}
        </Fact>
        <Fact name="Server">{server === null ? hidden : <ServerName server={server} />}</Fact>
      </dl>
    </article>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type VersionProps = { readonly deployment: Deployment; readonly health: ProjectHealth };

function Version({ deployment, health }: VersionProps) {
  return (
    <>
      <a href={pathTo({ page: "deployment", id: deployment.id })}>v{deployment.version}</a>{" "}
      {health.state === "degraded" ? (
        <Degraded id={deployment.project_id} health={health} />
      ) : (
        <Commit commit={deployment.commit} message={deployment.commit_message} />
      )}
    </>
  );
}

function ServerName({ server }: { readonly server: ServerRow }) {
  return (
    <>
      {server.name} {server.status === "healthy" ? null : <ServerState status={server.status} />}
    </>
  );
}

type LatestProps = Pick<Props, "project" | "latest"> & { readonly isDegraded: boolean };

function LatestDeployment({ project, latest, isDegraded }: LatestProps) {
  if (latest === null)
    return project.last_deploy === null ? (
      <span class="quiet">none</span>
    ) : (
      <Ago time={project.last_deploy} />
    );
  return (
    <>
      <a href={pathTo({ page: "deployment", id: latest.id })}>v{latest.version}</a>{" "}
      {isDegraded ? <span class="status degraded">Degraded</span> : <Status of={latest} />}{" "}
      <span class="quiet">
        <Ago time={latest.created_at} />
      </span>
    </>
  );
}

function RunningDeployments({ deployments }: { readonly deployments: readonly Deployment[] }) {
  // The oldest one runs. The others are queued.
  const current = deployments.at(-1);
  if (current === undefined) return null;
  return (
    <>
      <a href={pathTo({ page: "deployment", id: current.id })}>v{current.version}</a> <Status of={current} />{" "}
      <span class="quiet">
        {/* The status says it. */}
        {current.waiting_on?.type === "approval" ? (
          <Ago time={current.created_at} />
        ) : (
          (waitingText(current) ?? <Duration seconds={current.duration} runningSince={current.started_at} />)
        )}
        {deployments.length > 1 ? `, ${deployments.length - 1} queued` : ""}
      </span>
    </>
  );
}
