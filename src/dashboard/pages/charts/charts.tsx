import { useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { api } from "#dashboard/data/api.ts";
import { resources } from "#dashboard/data/resource.ts";
import { DaysChart } from "#dashboard/pages/charts/days-chart.tsx";
import { DurationChart } from "#dashboard/pages/charts/duration-chart.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { ProjectFilter } from "#dashboard/shared/project-filter.tsx";
import { ProjectFrame } from "#dashboard/shared/project-frame.tsx";
import { Show } from "#dashboard/shared/show.tsx";

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of 100 deployments each. The page says if there are older ones. */
const MOST_PAGES = 10;

export type Recent = {
  /** Newest first. */
  readonly deployments: readonly Deployment[];
  /** Older deployments of the same days are missing. */
  readonly isCut: boolean;
};

const useRecent = resources((projectId: string) => readRecent(projectId));

async function readRecent(projectId: string): Promise<ClientResult<Recent>> {
  const since = Date.now() - DAYS * DAY_MS;
  const deployments: Deployment[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page += 1) {
    const query = {
      limit: 100,
      ...(projectId === "" ? {} : { project_id: projectId }),
      ...(cursor === null ? {} : { cursor }),
    };
    const listed: Awaited<ReturnType<typeof api.listDeployments>> = await api.listDeployments({ query });
    if (!listed.ok) return listed;
    const within = listed.value.deployments.filter(({ created_at: at }) => Date.parse(at) >= since);
    deployments.push(...within);
    cursor = listed.value.next_cursor;
    const isAll = cursor === null || within.length < listed.value.deployments.length;
    if (isAll || page === MOST_PAGES) return { ...listed, value: { deployments, isCut: !isAll } };
  }
}

/** The number of deployments per day, their outcomes and their durations. */
export function Charts() {
  const [projectId, setProjectId] = useState("");
  return (
    <Page title="Charts">
      <div class="filters">
        <ProjectFilter value={projectId} onChange={setProjectId} />
      </div>
      <RecentCharts projectId={projectId} />
    </Page>
  );
}

/** The charts of one project. */
export function ProjectCharts({ id }: { readonly id: ProjectId }) {
  return (
    <ProjectFrame id={id} section="project_charts" title="Charts">
      <RecentCharts projectId={id} />
    </ProjectFrame>
  );
}

/** @param projectId empty: all projects */
function RecentCharts({ projectId }: { readonly projectId: string }) {
  const recent = useRecent(projectId);
  return (
    <Show of={recent} what="the deployments">
      {({ deployments, isCut }) => (
        <>
          {isCut ? <p class="quiet">Only the latest {deployments.length} deployments are shown.</p> : null}
          <h2>Deployments per day</h2>
          <DaysChart deployments={deployments} days={DAYS} />
          <h2>Duration</h2>
          <DurationChart deployments={deployments} days={DAYS} />
        </>
      )}
    </Show>
  );
}
