import type { Deployment } from "#contract/deployments.ts";
import type { ProjectRow } from "#contract/projects.ts";
import type { ServerRow, ServerRows } from "#contract/servers.ts";
import type { Watched } from "#dashboard/data/resource.ts";
import { ALL, type Activity, useActivity, useProjects, useServers } from "#dashboard/data/resources.ts";
import { later } from "#dashboard/later.tsx";
import { ProjectCard } from "#dashboard/pages/overview/project-card.tsx";
import { Page } from "#dashboard/parts/page.tsx";
import { Show } from "#dashboard/parts/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

const FirstSteps = later(async () => (await import("#dashboard/pages/overview/first-steps.tsx")).FirstSteps);

/** Every project with what is live and what runs, changing by itself; in an empty installation, the first steps. */
export function Overview() {
  const projects = useProjects(ALL);
  const servers = useServers(ALL);
  const activity = useActivity(ALL);
  return (
    <Page
      title="Projects"
      actions={
        <a class="button" href={pathTo({ page: "new_project" })}>
          Add a project
        </a>
      }
    >
      <Show of={projects} what="the projects">
        {(listed) => (
          <Show of={visibleTo(servers)} what="the servers">
            {(hosts) => (
              <Show of={activity} what="the deployments">
                {(known) =>
                  isBeginning(listed.projects, known) ? (
                    <FirstSteps servers={hosts.servers} projects={listed.projects} />
                  ) : (
                    <Cards projects={listed.projects} servers={hosts.servers} activity={known} />
                  )
                }
              </Show>
            )}
          </Show>
        )}
      </Show>
    </Page>
  );
}

/** A token may see projects and no servers: then they are shown without. */
function visibleTo(servers: Watched<ServerRows>): Watched<ServerRows> {
  if (servers.problem?.code !== "insufficient_scope") return servers;
  return { ...servers, value: { servers: [], next_cursor: null }, problem: null };
}

/** Until something has been deployed, there is nothing to look over. */
function isBeginning(projects: readonly ProjectRow[], { latest }: Activity): boolean {
  return latest.length === 0 && projects.length < 2;
}

type CardsProps = {
  readonly projects: readonly ProjectRow[];
  readonly servers: readonly ServerRow[];
  readonly activity: Activity;
};

function Cards({ projects, servers, activity }: CardsProps) {
  const hosts = new Map(servers.map((server) => [server.id, server]));
  const live = byProject(activity.live);
  const building = byProject(activity.building);
  const latest = byProject(activity.latest);
  return (
    <ul class="cards">
      {projects.map((project) => (
        <li key={project.id}>
          <ProjectCard
            project={project}
            server={hosts.get(project.server_id) ?? null}
            live={live.get(project.id)?.[0] ?? null}
            running={building.get(project.id) ?? []}
            latest={latest.get(project.id)?.[0] ?? null}
          />
        </li>
      ))}
    </ul>
  );
}

function byProject(deployments: readonly Deployment[]): Map<string, Deployment[]> {
  return Map.groupBy(deployments, ({ project_id: id }) => id);
}
