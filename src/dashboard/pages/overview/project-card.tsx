import type { ComponentChildren } from "preact";

import { mayBeDetectedLater } from "#contract/frameworks/is-detected-later.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { Commit, ServerState, Status, waitingText } from "#dashboard/shared/status.tsx";
import { Ago, Duration } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly project: ProjectRow;
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
export function ProjectCard({ project, server, isVisible, live, running, latest }: Props) {
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
            <Version deployment={live} />
          )}
        </Fact>
        <Fact name="Last deployment">
          {running.length > 0 ? (
            <RunningDeployments deployments={running} />
          ) : (
            <LatestDeployment project={project} latest={latest} />
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

function Version({ deployment }: { readonly deployment: Deployment }) {
  return (
    <>
      <a href={pathTo({ page: "deployment", id: deployment.id })}>v{deployment.version}</a>{" "}
      <Commit commit={deployment.commit} message={deployment.commit_message} />
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

function LatestDeployment({ project, latest }: Pick<Props, "project" | "latest">) {
  if (latest === null)
    return project.last_deploy === null ? (
      <span class="quiet">none</span>
    ) : (
      <Ago time={project.last_deploy} />
    );
  return (
    <>
      <a href={pathTo({ page: "deployment", id: latest.id })}>v{latest.version}</a>{" "}
      <Status status={latest.status} stage={latest.stage} waiting={latest.waiting_on} />{" "}
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
      <a href={pathTo({ page: "deployment", id: current.id })}>v{current.version}</a>{" "}
      <Status status={current.status} stage={current.stage} waiting={current.waiting_on} />{" "}
      <span class="quiet">
        {waitingText(current) ?? <Duration seconds={current.duration} runningSince={current.started_at} />}
        {deployments.length > 1 ? `, ${deployments.length - 1} queued` : ""}
      </span>
    </>
  );
}
