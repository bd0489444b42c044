import type { Deployment } from "#contract/deployments.ts";
import type { ProjectRow } from "#contract/projects.ts";
import type { ServerRow } from "#contract/servers.ts";
import { Commit, ServerState, Status, waitingText } from "#dashboard/parts/status.tsx";
import { Ago, Duration } from "#dashboard/parts/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly project: ProjectRow;
  readonly server: ServerRow | null;
  readonly live: Deployment | null;
  /** What runs and what waits, newest first. */
  readonly running: readonly Deployment[];
  readonly latest: Deployment | null;
};

/** A project at a glance. */
export function ProjectCard({ project, server, live, running, latest }: Props) {
  return (
    <article class="card">
      <h2>
        <a href={pathTo({ page: "project", id: project.id })}>{project.name}</a>
      </h2>
      <p class="quiet">
        {project.framework} · {project.domain}
      </p>
      <dl>
        <dt>Live</dt>
        <dd>{live === null ? <span class="quiet">nothing yet</span> : <Version deployment={live} />}</dd>
        <dt>Server</dt>
        <dd>{server === null ? <span class="quiet">not visible</span> : <Host server={server} />}</dd>
        <dt>Last deployment</dt>
        <dd>
          <Last project={project} latest={latest} />
        </dd>
      </dl>
      <Running deployments={running} />
    </article>
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

function Host({ server }: { readonly server: ServerRow }) {
  return (
    <>
      {server.name} {server.status === "healthy" ? null : <ServerState status={server.status} />}
    </>
  );
}

function Last({ project, latest }: Pick<Props, "project" | "latest">) {
  if (latest === null)
    return project.last_deploy === null ? (
      <span class="quiet">none</span>
    ) : (
      <Ago time={project.last_deploy} />
    );
  return (
    <>
      <a href={pathTo({ page: "deployment", id: latest.id })}>
        v{latest.version} <Ago time={latest.created_at} />
      </a>{" "}
      <Status status={latest.status} stage={latest.stage} />
    </>
  );
}

function Running({ deployments }: { readonly deployments: readonly Deployment[] }) {
  // The oldest is the one that runs; the others wait for it.
  const current = deployments.at(-1);
  if (current === undefined) return null;
  return (
    <p class="running" role="status">
      <span class="spinner" aria-hidden="true" />
      <a href={pathTo({ page: "deployment", id: current.id })}>v{current.version}</a>{" "}
      <Status status={current.status} stage={current.stage} />{" "}
      {waitingText(current) ?? <Duration seconds={current.duration} runningSince={current.started_at} />}
      {deployments.length > 1 ? `, ${deployments.length - 1} waiting` : ""}
    </p>
  );
}
