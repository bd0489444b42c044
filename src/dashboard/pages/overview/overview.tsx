import { useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { toCreateProjects } from "#contract/endpoints/projects/endpoints.ts";
import { UNKNOWN_HEALTH } from "#contract/endpoints/projects/health.ts";
import type { ProjectRow, ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import type { WatchedResource } from "#dashboard/data/resource.ts";
import type { Activity } from "#dashboard/data/activity.ts";
import {
  ALL,
  useAccount,
  useActivity,
  useAllowed,
  useProjects,
  useServers,
} from "#dashboard/data/resources.ts";
import { useMayCreateOwner } from "#dashboard/data/use-may-create-owner.ts";
import { lazy } from "#dashboard/shared/lazy.tsx";
import { ProjectCard, ProjectColumns } from "#dashboard/pages/overview/project-card.tsx";
import { RecoveryHint } from "#dashboard/pages/overview/recovery-hint.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { isNotAllowed, NoAccess } from "#dashboard/shared/unavailable.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

const FirstSteps = lazy(async () => (await import("#dashboard/after-first-page.ts")).FirstSteps);
const OwnerCard = lazy(async () => (await import("#dashboard/after-first-page.ts")).OwnerCard);
const LatestDeployments = lazy(
  async () => (await import("#dashboard/after-first-page.ts")).LatestDeployments,
);

/** All projects with their live and running deployments. In an empty account, the first steps. */
export function Overview() {
  const projects = useProjects(ALL);
  const servers = useServers(ALL);
  const activity = useActivity(ALL);
  const mayAdd = useAllowed({ access: toCreateProjects });
  const { value: account } = useAccount(ALL);
  const mayCreateOwner = useMayCreateOwner(account);
  return (
    <Page
      title="Projects"
      actions={
        // The first steps have a form for the first project.
        mayAdd && projects.value?.projects.length !== 0 ? (
          <a class="button primary" href={pathTo({ page: "new_project" })}>
            Add a project
          </a>
        ) : null
      }
    >
      {account !== null && mayCreateOwner ? <OwnerCard account={account} canSkip /> : null}
      <RecoveryHint />
      {isNotAllowed(projects.problem) ? (
        <>
          {projects.problem === null ? null : <NoAccess what="the projects" problem={projects.problem} />}
          <Show of={activity} what="the deployments">
            {({ latest }) => <LatestDeployments deployments={latest} />}
          </Show>
        </>
      ) : (
        <Show of={projects} what="the projects">
          {(listed) => (
            <Show of={orNull(servers)} what="the servers">
              {(known) => (
                <Show of={orNull(activity)} what="the deployments">
                  {(shown) => (
                    <Projects
                      projects={listed.projects}
                      health={listed.health}
                      servers={known.visible?.servers ?? null}
                      activity={shown.visible}
                    />
                  )}
                </Show>
              )}
            </Show>
          )}
        </Show>
      )}
    </Page>
  );
}

/** Replaces data that the token may not read with null, so that the projects are shown without it. */
function orNull<Value>({
  value,
  problem,
  reload,
}: WatchedResource<Value>): WatchedResource<{ readonly visible: Value | null }> {
  if (isNotAllowed(problem)) return { value: { visible: null }, problem: null, reload };
  return { value: value === null ? null : { visible: value }, problem, reload };
}

type ProjectsProps = {
  readonly projects: readonly ProjectRow[];
  readonly health: ProjectRows["health"];
  /** null: the token has no access. The same for `activity`. */
  readonly servers: readonly ServerRow[] | null;
  readonly activity: Activity | null;
};

function Projects({ projects, health, servers, activity }: ProjectsProps) {
  const mayAdd = useAllowed({ access: toCreateProjects });
  const [query, setQuery] = useState("");
  // Before the first deployment, there is nothing to list.
  const isBeginning = activity?.latest.length === 0 && projects.length < 2;
  if (isBeginning && servers !== null && mayAdd) return <FirstSteps servers={servers} projects={projects} />;
  if (projects.length === 0) return <EmptyState title="No projects yet" />;
  const serversById = new Map((servers ?? []).map((server) => [server.id, server]));
  const live = byProject(activity?.live ?? []);
  const building = byProject(activity?.building ?? []);
  const latest = byProject(activity?.latest ?? []);
  return (
    <>
      <Find what="project" count={projects.length} query={query} onInput={setQuery} />
      <ProjectColumns />
      <ul class="projects">
        {projects
          .filter(({ name, domain }) => matches(`${name} ${domain}`, query))
          .map((project) => (
            <li key={project.id}>
              <ProjectCard
                project={project}
                health={health[project.id] ?? UNKNOWN_HEALTH}
                server={serversById.get(project.server_id) ?? null}
                isVisible={activity !== null}
                live={live.get(project.id)?.[0] ?? null}
                running={building.get(project.id) ?? []}
                latest={latest.get(project.id)?.[0] ?? null}
              />
            </li>
          ))}
      </ul>
    </>
  );
}

function byProject(deployments: readonly Deployment[]): Map<string, Deployment[]> {
  return Map.groupBy(deployments, ({ project_id: id }) => id);
}
