import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { holdOutlook } from "#contract/endpoints/freezes/hold-outlook.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useFreezesToDecide } from "#dashboard/data/freeze-resources.ts";
import { ALL, useAllowed } from "#dashboard/data/resources.ts";
import { minuteText } from "#dashboard/text/times.ts";

/** What a deployment of a project that is started now will wait for; null: nothing that the token can see. */
export function useHoldOutlook(projectId: ProjectId, project: Project | null): string | null {
  const mayRead = useAllowed(freezeEndpoints.listFreezes);
  const { value: freezes } = useFreezesToDecide(mayRead ? ALL : null);
  return holdOutlook({ projectId, approval: project?.approval ?? null, freezes: freezes ?? [] }, minuteText);
}
