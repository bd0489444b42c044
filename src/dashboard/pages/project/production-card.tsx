import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { isDetectedLater } from "#project-files/frameworks/is-detected-later.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { ALL, useLive, useMay, useServers } from "#dashboard/data/resources.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Degraded, HealthReasons } from "#dashboard/shared/health.tsx";
import { RedeployButton } from "#dashboard/shared/redeploy-button.tsx";
import { RollbackDialog } from "#dashboard/shared/rollback-dialog.tsx";
import { Branch, Commit, Repository, ServerState, Status } from "#dashboard/shared/status.tsx";
import { Ago, Duration } from "#dashboard/shared/times.tsx";
import { isNotAllowed } from "#dashboard/shared/unavailable.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { siteName } from "#dashboard/text/site-name.ts";

type Props = { readonly project: Project };

/** The state of production: the live deployment, its site and its source, with the actions on it. */
export function ProductionCard({ project }: Props) {
  const { value, problem } = useLive(project.id);
  const live = value?.deployments[0] ?? null;
  const isKnown = value !== null || problem !== null;
  return (
    <section class={isKnown ? "card production" : "card production loading"} aria-label="Production">
      <header>
        <h2>Production</h2>
        {live === null ? (
          // The list below says that the token has no access to deployments.
          isKnown && !isNotAllowed(problem) && <span class="quiet">not deployed yet</span>
        ) : (
          <LiveStatus project={project} live={live} />
        )}
        <LiveActions project={project} live={live} />
      </header>
      {live === null ? null : <HealthReasons id={project.id} health={project.health} />}
      <dl class="details">
        {/* Their names are shown while the deployment loads, so that the page does not move. */}
        {live === null && isKnown ? null : <LiveFacts live={live} project={project} />}
        <ProjectFacts project={project} live={live} />
      </dl>
    </section>
  );
}

function LiveStatus({ project: { id, health }, live }: Props & { readonly live: Deployment }) {
  return health.state === "degraded" ? <Degraded id={id} health={health} /> : <Status of={live} />;
}

/** Takes the place of the card while the project loads, so that the page does not move. */
export function ProductionSpace() {
  return (
    <section class="card production loading" aria-label="Production">
      <header>
        <h2>Production</h2>
      </header>
      <div class="details">
        <Waiting what="Loading the project" />
      </div>
    </section>
  );
}

function LiveActions({ project, live }: Props & { readonly live: Deployment | null }) {
  const mayDeploy = useMay("startDeployment", project.id);
  const [isRollingBack, setIsRollingBack] = useState(false);
  return (
    <div class="actions">
      {mayDeploy && live !== null ? (
        <>
          <RedeployButton live={live} />
          <Button onClick={() => setIsRollingBack(true)}>Roll back</Button>
        </>
      ) : null}
      {project.url === null || live === null ? null : (
        <a class="button" href={project.url}>
          Visit
        </a>
      )}
      {isRollingBack ? (
        <RollbackDialog projectId={project.id} onClose={() => setIsRollingBack(false)} />
      ) : null}
    </div>
  );
}

function Site({ project: { url, domain } }: Props) {
  return url === null ? <>{domain}</> : <a href={url}>{siteName(url, domain)}</a>;
}

function LiveFacts({ live, project: { repository } }: Props & { readonly live: Deployment | null }) {
  return (
    <>
      <Fact name="Deployment" isWide>
        {live === null ? null : (
          <>
            <a href={pathTo({ page: "deployment", id: live.id })}>v{live.version}</a>{" "}
            <Branch name={live.branch} repository={repository} />{" "}
            <Commit commit={live.commit} message={live.commit_message} repository={repository} />
          </>
        )}
      </Fact>
      <Fact name="Deployed">
        {live === null ? null : (
          <>
            <Ago time={live.finished_at ?? live.created_at} /> by {live.actor.name}
          </>
        )}
      </Fact>
      <Fact name="Duration">
        {live === null ? null : (
          <span class="duration">
            <Duration seconds={live.duration} runningSince={null} />
          </span>
        )}
      </Fact>
    </>
  );
}

function ProjectFacts({ project, live }: Props & { readonly live: Deployment | null }) {
  const reasons = project.framework_reasons.join(" and ");
  return (
    <>
      <Fact name="Source" isWide>
        <Branch name={project.branch} repository={project.repository} /> of{" "}
        <Repository address={project.repository} />{" "}
        <a href={pathTo({ page: "repository", id: project.id })}>Repository access</a>
      </Fact>
      <Fact name="Site">
        <Site project={project} />
      </Fact>
      {project.servers_state.length > 0 ? (
        <Fact name="Servers">{project.servers_state.length}</Fact>
      ) : (
        <Fact name="Server">
          <ServerName id={live?.server_id ?? project.server_id} />
          {live === null || live.server_id === project.server_id ? null : (
            <p>
              Moves to <ServerName id={project.server_id} /> with the next deployment.
            </p>
          )}
        </Fact>
      )}
      {project.balance_state.length === 0 ? null : (
        <Fact name="Behind">
          {project.balance_state
            .filter(({ role }) => role === "balancer")
            .map(({ name }) => withHiddenShown(name))
            .join(", ")}
        </Fact>
      )}
      <Fact name="Framework">
        {isDetectedLater(project) ? (
          <span class="quiet">detected at the first deployment</span>
        ) : (
          `${project.framework}${project.app_type === "server" ? ", runs as a server" : ""}`
        )}
        {reasons === "" ? null : <span class="quiet"> because {withHiddenShown(reasons)}</span>}
      </Fact>
    </>
  );
}

function ServerName({ id }: { readonly id: ServerId }) {
  const { value } = useServers(ALL);
  const server = value?.servers.find((one) => one.id === id);
  if (server === undefined) return <code>{id}</code>;
  return (
    <>
      {server.name} <ServerState status={server.status} />
    </>
  );
}

type FactProps = { readonly name: string; readonly isWide?: boolean; readonly children: ComponentChildren };

function Fact({ name, isWide = false, children }: FactProps) {
  return (
    <div class={isWide ? "wide" : ""}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
